"""Writers, one module an output format: what a tool would have measured in, the text that it would have printed out."""
