"""A figure drawn once, as SVG and as image: the same bytes on every machine.

What a figure hands to its renderer went through products of matrices, whose last digit depends on the processor; from
there it would reach a file as a digit, as the pixel that an edge snaps to, or in the hash of an id. So all coordinates
are rounded here before anything is written or rasterised, and SVG and image get the same ones.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Bbox, BboxBase, Transform, TransformedPath
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from storagelab.figures.text_sizes import Agg, font_height, in_points

POINTS, DPI = 72, 200
"""Points in an inch: the unit of an SVG, and of everything here. Pixels in an inch of an image."""
STEPS = 1000
"""Steps in a point, to which coordinates are rounded."""

COMPRESSION = 3
"""Of PNG: a twentieth larger than the usual 6, in two thirds of the time."""

_ASIDE = 0.0173
"""Added before rounding, in steps: coordinates halfway between two steps are common, and would go either way."""
_LARGER = DPI / POINTS
_BOTH = _PLAIN, _IN_PIXELS = Affine2D(), Affine2D().scale(_LARGER)
_SHARES = {"right": 1.0, "top": 1.0, "center": 0.5, "center_baseline": 0.5}
_NO_TRANSFORMS, _HERE = np.empty((0, 3, 3)), np.zeros(2)

Points = NDArray[np.float64]


def rounded(coordinates: ArrayLike) -> Points:
    """Round coordinates so that their last digits do not matter.

    Examples
    --------
    >>> rounded([0.0005, 0.0004999999999999999]).tolist()
    [0.001, 0.001]
    """
    steps = np.rint(np.asarray(coordinates, dtype=np.float64) * STEPS + _ASIDE)
    return np.asarray(steps / STEPS + 0.0)  # minus zero is written as -0


def draw_once(figure: Figure, box: BboxBase) -> tuple[str, Image.Image]:
    """Draw a part of a figure on white.

    Parameters
    ----------
    figure : Figure
        As it is laid out.
    box : Bbox
        The part, in inches; it may reach beyond the figure.

    Returns
    -------
    str
        SVG.
    Image
        The same at `DPI`.
    """
    buffer = io.StringIO()
    renderer = Renderer(buffer, box)
    with on_white(figure, box):
        figure.draw(renderer)
    return renderer.finish(buffer)


def png(image: Image.Image) -> bytes:
    """Write an image as PNG."""
    buffer = io.BytesIO()
    image.save(buffer, "png", dpi=(DPI, DPI), compress_level=COMPRESSION)
    return buffer.getvalue()


@contextmanager
def on_white(figure: Figure, box: BboxBase) -> Iterator[None]:
    """Let a figure count in points, and lie on white, until the context ends."""
    dpi, colour = figure.dpi, figure.get_facecolor()
    figure.dpi = POINTS
    figure.set_facecolor("white")
    figure.patch.set_bounds(*box.transformed(Affine2D().scale(*(1 / figure.get_size_inches()))).bounds)
    try:
        yield
    finally:
        figure.dpi = dpi
        figure.set_facecolor(colour)
        figure.patch.set_bounds(0, 0, 1, 1)


def _moved(path: Path, transform: Transform, shift: Points) -> Path:
    """Transform a path, and round it."""
    moved = Path(rounded(transform.transform(path.vertices) + shift), path.codes)
    moved.should_simplify, moved.simplify_threshold = path.should_simplify, path.simplify_threshold
    return moved


class Context(GraphicsContextBase):
    """Properties of what is drawn. What clips it is rounded, and in points unless it is asked for in pixels."""

    def __init__(self, shift: Points, clips: dict[bytes, Path]) -> None:
        super().__init__()
        self._shift, self._clips = shift, clips

    def set_clip_rectangle(self, rectangle: BboxBase | None) -> None:
        """Clip by a rectangle in coordinates of the figure."""
        super().set_clip_rectangle(None if rectangle is None else Bbox(rounded(rectangle.get_points() + self._shift)))

    def set_clip_path(self, path: TransformedPath | None) -> None:
        """Clip by a path in coordinates of the figure; the same path is the same object every time."""
        if path is not None:
            moved = _moved(*path.get_transformed_path_and_affine(), self._shift)
            path = TransformedPath(self._clips.setdefault(np.asarray(moved.vertices).tobytes(), moved), _PLAIN)
        super().set_clip_path(path)

    @contextmanager
    def in_pixels(self) -> Iterator[None]:
        """Clip an image until the context ends."""
        rectangle: Any = self.get_clip_rectangle()
        path: Any = self.get_clip_path()[0]
        if rectangle is not None:
            super().set_clip_rectangle(Bbox(rectangle.get_points() * _LARGER))
        if path is not None:
            super().set_clip_path(TransformedPath(path, _IN_PIXELS))
        yield
        super().set_clip_rectangle(rectangle)
        if path is not None:
            super().set_clip_path(TransformedPath(path, _PLAIN))


class Anchor:
    """What an SVG asks a text: how it is anchored, and where, rounded."""

    def __init__(self, text: Text, shift: Points) -> None:
        self.text, self.shift = text, shift

    def get_transform(self) -> Transform:
        """Nothing is left to transform."""
        return _PLAIN

    def get_unitless_position(self) -> Points:
        """Where the text is anchored, in points."""
        return rounded(self.text.get_transform().transform(self.text.get_unitless_position()) + self.shift)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.text, name)


def _before_anchor(text: Text | None, angle: float) -> float:
    """Share of a text that stands before the point to which it is aligned."""
    if text is None:
        return 0.0
    upright = angle % 180 == 0 or text.get_rotation_mode() == "anchor"
    return _SHARES.get(text.get_horizontalalignment() if upright else text.get_verticalalignment(), 0.0)


def _along(angle: float) -> Points:
    """Direction of a text: right and up."""
    return rounded([np.cos(np.radians(angle)), np.sin(np.radians(angle))])


class Renderer(RendererBase):
    """Hands every call on to an SVG in points and to an image in pixels, in the same rounded coordinates.

    What an artist wants rasterised (the many shades of a bar of colours) goes into a layer of its own instead of the
    SVG, which shows the layer.
    """

    def __init__(self, buffer: io.StringIO, box: BboxBase) -> None:
        self._place(box)
        size, unsaid = (self._width, self._height), {"Date": None, "Creator": None}
        self._svg: Any = RendererSVG(*size, buffer, image_dpi=DPI, metadata=unsaid)  # type: ignore[no-untyped-call]
        self._images: list[Any] = [self._empty()]

    def _place(self, box: BboxBase) -> None:
        """Lay the part of the figure that is drawn to the origin."""
        super().__init__()
        self._shift: Points = rounded(-POINTS * box.p0)
        self._top = float(rounded(POINTS * box.y1))
        self._clips: dict[bytes, Path] = {}
        self._width, self._height = (float(size) for size in rounded(POINTS * box.size))

    def _empty(self) -> Any:
        size = round(self._width * _LARGER), round(self._height * _LARGER)
        return Agg(*size, DPI)  # type: ignore[no-untyped-call]

    def finish(self, buffer: io.StringIO) -> tuple[str, Image.Image]:
        """Close both drawings and return them; the renderer can measure text from then on, and nothing else."""
        self._svg.finalize()
        drawn = self._images.pop()
        image = Image.frombuffer("RGBA", (drawn.width, drawn.height), drawn.buffer_rgba(), "raw", "RGBA", 0, 1)
        del self._svg
        return buffer.getvalue(), image.convert("RGB")

    def _both(self, name: str, gc: Context, in_points: Sequence[Any], in_pixels: Sequence[Any], **more: Any) -> None:
        """Make a call of both renderers."""
        if len(self._images) == 1:
            getattr(self._svg, name)(gc, *in_points, **more)
        with gc.in_pixels():
            for image in self._images:
                getattr(image, name)(gc, *in_pixels, **more)

    def start_rasterizing(self) -> None:
        """Put what comes into a layer."""
        self._images.append(self._empty())

    def stop_rasterizing(self) -> None:
        """Show the layer in the SVG."""
        layer = np.asarray(self._images.pop().buffer_rgba())
        down, across = (np.flatnonzero(layer[..., 3].any(axis=axis)) for axis in (1, 0))
        if down.size:
            shown = layer[down[0] : down[-1] + 1, across[0] : across[-1] + 1]
            below = layer.shape[0] - 1 - down[-1]
            self._svg.draw_image(self.new_gc(), across[0] / _LARGER, below / _LARGER, shown[::-1])

    def new_gc(self) -> Context:
        """Properties that are not set yet."""
        return Context(self._shift, self._clips)

    def get_canvas_width_height(self) -> tuple[float, float]:
        """From where texts are counted downwards."""
        return self._width, self._top

    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: Any) -> tuple[float, float, float]:
        """Measure a text in points."""
        return in_points(s, prop, ismath)

    def _get_font_height_metrics(self, prop: FontProperties) -> Any:
        return font_height(prop, POINTS)

    def get_image_magnification(self) -> float:
        """Pixels in a point."""
        return _LARGER

    def flipy(self) -> bool:
        """Whether texts are counted downwards."""
        return True

    def open_group(self, s: str, gid: str | None = None) -> None:
        """Begin a group of the SVG."""
        self._svg.open_group(s, gid)

    def close_group(self, s: str) -> None:
        """End a group of the SVG."""
        self._svg.close_group(s)

    def draw_path(self, gc: Any, path: Path, transform: Transform, rgbFace: Any = None) -> None:  # noqa: N803
        """Draw lines and what they enclose."""
        moved = _moved(path, transform, self._shift)
        self._both("draw_path", gc, *((moved, to, rgbFace) for to in _BOTH))

    def draw_markers(
        self, gc: Any, marker_path: Path, marker_trans: Transform, path: Path, trans: Transform, face: Any = None
    ) -> None:
        """Draw the same shape at each point of a path."""
        marker, moved = _moved(marker_path, marker_trans, _HERE), _moved(path, trans, self._shift)
        self._both("draw_markers", gc, *((marker, to, moved, to, face) for to in _BOTH))

    def draw_path_collection(
        self, gc: Any, master_transform: Transform, paths: Sequence[Path], all_transforms: Any,
        offsets: Any, offset_trans: Transform, *look: Any, **more: Any,
    ) -> None:  # fmt: skip
        """Draw paths, each at its offset; there are as many as there are paths or transforms, whichever are more."""
        own = [Affine2D(one) + master_transform for one in all_transforms] or [master_transform]
        count = max(len(paths), len(own)) if len(paths) else 0
        moved = [_moved(paths[place % len(paths)], own[place % len(own)], _HERE) for place in range(count)]
        places = self._places(offsets, offset_trans)
        calls = ((to, moved, _NO_TRANSFORMS, places, to, *look) for to in _BOTH)
        self._both("draw_path_collection", gc, *calls, **more)

    def draw_quad_mesh(
        self, gc: Any, master_transform: Transform, across: int, down: int, coordinates: ArrayLike,
        offsets: Any, offset_trans: Transform, *look: Any,
    ) -> None:  # fmt: skip
        """Draw a grid of cells."""
        corners = np.asarray(coordinates, dtype=np.float64)
        moved = rounded(master_transform.transform(corners.reshape(-1, 2))).reshape(corners.shape)
        places = self._places(offsets, offset_trans)
        self._both("draw_quad_mesh", gc, *((to, across, down, moved, places, to, *look) for to in _BOTH))

    def draw_gouraud_triangles(self, gc: Any, triangles: ArrayLike, colours: ArrayLike, transform: Transform) -> None:
        """Draw triangles that are shaded between their corners."""
        corners = np.asarray(triangles, dtype=np.float64)
        moved = self._places(corners.reshape(-1, 2), transform).reshape(corners.shape)
        self._both("draw_gouraud_triangles", gc, *((moved, colours, to) for to in _BOTH))

    def draw_image(self, gc: Any, x: float, y: float, im: ArrayLike, transform: Transform | None = None) -> None:
        """Draw an image that is as large in pixels as it shall be shown."""
        left, low = (rounded([x, y]) + self._shift).tolist()
        self._both("draw_image", gc, (left, low, im), (left * _LARGER, low * _LARGER, im))

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: FontProperties, angle: float, ismath: Any = False,
        mtext: Text | None = None,
    ) -> None:  # fmt: skip
        """Write a line of text; `y` is counted downwards."""
        left, below = rounded([x + self._shift[0], y]).tolist()
        down = self._images[0].height - (self._height - below) * _LARGER
        aside, up = self._excess(s, prop, ismath) * _before_anchor(mtext, angle) * _along(angle)
        anchor = None if mtext is None else Anchor(mtext, self._shift)
        said = s, prop, angle, ismath
        self._both("draw_text", gc, (left, below, *said, anchor), (left * _LARGER - aside, down + up, *said, mtext))

    def _excess(self, s: str, prop: FontProperties, ismath: Any) -> float:
        """By how many pixels a text is longer in an image, whose letters are fitted to pixels, than it was laid out."""
        long, laid_out = (one.get_text_width_height_descent(s, prop, ismath)[0] for one in (self._images[0], self))
        return float(rounded(long - laid_out * _LARGER))

    def _places(self, points: ArrayLike, transform: Transform) -> Points:
        return rounded(transform.transform(np.asarray(points, dtype=np.float64)) + self._shift)
