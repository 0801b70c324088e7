"""What the tools of sysstat (sar, sadf, iostat, mpstat) share: banner, clock, columns and what they mean."""
