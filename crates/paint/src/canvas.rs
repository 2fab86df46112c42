//! Anti-aliased shapes on a bitmap: a thin layer over tiny-skia.

use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Paint, Path, PathBuilder, Pixmap, Point,
    RadialGradient, Rect, Shader, SpreadMode, Stroke, Transform,
};

use super::color::{Rgb, mix};
use super::encode::{encode_png, reduce_colors};
use super::raster::Raster;

/// x and y in pixels.
pub type CanvasPoint = (f32, f32);

/// Fill of a shape.
#[derive(Clone, Copy)]
pub enum Fill {
    Solid(Rgb),
    /// Colour and opacity.
    Translucent(Rgb, f32),
    /// A gradient between two points.
    Linear(CanvasPoint, Rgb, CanvasPoint, Rgb),
    /// Colour and opacity, fading to transparent from the first point to the second.
    FadeOut(CanvasPoint, CanvasPoint, Rgb, f32),
    /// Centre, radius, colour and opacity, fading to transparent at the radius.
    Glow(CanvasPoint, f32, Rgb, f32),
}

impl Fill {
    /// A gradient from `top` at height `from` to `bottom` at height `to`.
    pub fn vertical(from: f32, top: Rgb, to: f32, bottom: Rgb) -> Self {
        Self::Linear((0.0, from), top, (0.0, to), bottom)
    }

    fn paint(self) -> Paint<'static> {
        let shader = match self {
            Self::Solid(color) => Some(Shader::SolidColor(with_alpha(color, 1.0))),
            Self::Translucent(color, alpha) => Some(Shader::SolidColor(with_alpha(color, alpha))),
            Self::Linear(from, start, to, end) => LinearGradient::new(
                point(from),
                point(to),
                stops(with_alpha(start, 1.0), with_alpha(end, 1.0)),
                SpreadMode::Pad,
                Transform::identity(),
            ),
            Self::FadeOut(from, to, color, alpha) => LinearGradient::new(
                point(from),
                point(to),
                stops(with_alpha(color, alpha), with_alpha(color, 0.0)),
                SpreadMode::Pad,
                Transform::identity(),
            ),
            Self::Glow(centre, radius, color, alpha) => RadialGradient::new(
                point(centre),
                0.0,
                point(centre),
                radius,
                stops(with_alpha(color, alpha), with_alpha(color, 0.0)),
                SpreadMode::Pad,
                Transform::identity(),
            ),
        };
        Paint { shader: shader.unwrap_or(Shader::SolidColor(Color::TRANSPARENT)), ..Paint::default() }
    }
}

/// Colours of pixel rows between two given rows.
#[derive(Clone, Copy)]
pub struct VerticalGradient {
    pub from: (i32, Rgb),
    pub to: (i32, Rgb),
}

impl VerticalGradient {
    fn color_at(self, y: i32) -> Rgb {
        let span = (self.to.0 - self.from.0).max(1);
        mix(self.from.1, self.to.1, (y - self.from.0) as f32 / span as f32)
    }
}

/// A picture to draw on. Degenerate shapes are ignored.
pub struct Canvas {
    pub(super) pixmap: Pixmap,
    /// Applied to every shape.
    pub transform: Transform,
}

impl Canvas {
    pub fn new(width: u32, height: u32) -> Self {
        Self {
            pixmap: Pixmap::new(width.max(1), height.max(1)).expect("the picture fits in memory"),
            transform: Transform::identity(),
        }
    }

    pub fn width(&self) -> f32 {
        self.pixmap.width() as f32
    }

    pub fn height(&self) -> f32 {
        self.pixmap.height() as f32
    }

    pub fn fill_all(&mut self, fill: Fill) {
        self.rect(0.0, 0.0, self.width(), self.height(), fill);
    }

    pub fn rect(&mut self, x: f32, y: f32, width: f32, height: f32, fill: Fill) {
        if let Some(rect) = Rect::from_xywh(x, y, width, height) {
            self.fill(Some(PathBuilder::from_rect(rect)), fill);
        }
    }

    /// Squares with the given corners, subject to the transform.
    pub fn squares(&mut self, corners: impl Iterator<Item = CanvasPoint>, side: f32, fill: Fill) {
        let mut path = PathBuilder::new();
        for (x, y) in corners {
            if let Some(rect) = Rect::from_xywh(x, y, side, side) {
                path.push_rect(rect);
            }
        }
        self.fill(path.finish(), fill);
    }

    /// Squares on whole pixels, without the transform. Fast enough for lines of text.
    pub fn pixel_squares(&mut self, corners: impl Iterator<Item = (i32, i32)>, side: i32, gradient: VerticalGradient) {
        let (columns, rows) = (self.pixmap.width() as i32, self.pixmap.height() as i32);
        let data = self.pixmap.data_mut();
        for (left, top) in corners {
            for y in top.max(0)..(top + side).min(rows) {
                let [r, g, b] = gradient.color_at(y);
                for x in left.max(0)..(left + side).min(columns) {
                    let at = ((y * columns + x) * 4) as usize;
                    data[at..at + 4].copy_from_slice(&[r, g, b, u8::MAX]);
                }
            }
        }
    }

    pub fn rounded_rect(&mut self, x: f32, y: f32, width: f32, height: f32, radius: f32, fill: Fill) {
        let (right, bottom) = (x + width, y + height);
        self.shape(fill, |path| {
            path.move_to(x + radius, y);
            path.line_to(right - radius, y);
            path.quad_to(right, y, right, y + radius);
            path.line_to(right, bottom - radius);
            path.quad_to(right, bottom, right - radius, bottom);
            path.line_to(x + radius, bottom);
            path.quad_to(x, bottom, x, bottom - radius);
            path.line_to(x, y + radius);
            path.quad_to(x, y, x + radius, y);
        });
    }

    pub fn circle(&mut self, x: f32, y: f32, radius: f32, fill: Fill) {
        self.fill(PathBuilder::from_circle(x, y, radius), fill);
    }

    pub fn ellipse(&mut self, x: f32, y: f32, rx: f32, ry: f32, fill: Fill) {
        if let Some(rect) = Rect::from_ltrb(x - rx, y - ry, x + rx, y + ry) {
            self.fill(PathBuilder::from_oval(rect), fill);
        }
    }

    pub fn polygon(&mut self, corners: &[CanvasPoint], fill: Fill) {
        self.fill(outline(corners, true), fill);
    }

    /// An open line with round ends.
    pub fn line(&mut self, corners: &[CanvasPoint], width: f32, fill: Fill) {
        if let Some(path) = outline(corners, false) {
            self.stroke(&path, width, fill);
        }
    }

    pub fn ring(&mut self, x: f32, y: f32, radius: f32, width: f32, fill: Fill) {
        if let Some(path) = PathBuilder::from_circle(x, y, radius) {
            self.stroke(&path, width, fill);
        }
    }

    /// A closed path.
    pub fn shape(&mut self, fill: Fill, build: impl FnOnce(&mut PathBuilder)) {
        let mut path = PathBuilder::new();
        build(&mut path);
        path.close();
        self.fill(path.finish(), fill);
    }

    /// A radial glow, drawn only within its radius.
    pub fn glow(&mut self, (x, y): CanvasPoint, radius: f32, color: Rgb, strength: f32) {
        let (left, top) = ((x - radius).max(0.0), (y - radius).max(0.0));
        let right = (x + radius).min(self.width());
        let bottom = (y + radius).min(self.height());
        let fill = Fill::Glow((x, y), radius, color, strength);
        self.rect(left, top, right - left, bottom - top, fill);
    }

    /// A picture with every pixel as a square of `factor` pixels, without the transform. Corners are cut off round.
    pub fn picture(&mut self, source: &Raster, (left, top): (i32, i32), factor: i32, corner: i32) {
        let (width, height) = (source.size().0 as i32 * factor, source.size().1 as i32 * factor);
        let (columns, rows) = (self.pixmap.width() as i32, self.pixmap.height() as i32);
        let data = self.pixmap.data_mut();
        for y in (-top).max(0)..height.min(rows - top) {
            for x in (-left).max(0)..width.min(columns - left) {
                let [r, g, b, a] = source.get(x / factor, y / factor);
                let alpha = f32::from(a) / 255.0 * corner_coverage((x, y), (width, height), corner);
                let at = (((top + y) * columns + left + x) * 4) as usize;
                for (channel, value) in data[at..at + 4].iter_mut().zip([r, g, b, u8::MAX]) {
                    *channel = (f32::from(value) * alpha + f32::from(*channel) * (1.0 - alpha)).round() as u8;
                }
            }
        }
    }

    pub fn into_png(self) -> Vec<u8> {
        let (width, height) = (self.pixmap.width(), self.pixmap.height());
        encode_png(width, height, &self.pixmap.take_demultiplied())
    }

    /// With no more colours than a palette holds: a quarter of the bytes, and hardly a visible difference.
    pub fn into_small_png(self) -> Vec<u8> {
        let (width, height) = (self.pixmap.width(), self.pixmap.height());
        let mut pixels = self.pixmap.take_demultiplied();
        reduce_colors(&mut pixels);
        encode_png(width, height, &pixels)
    }

    fn fill(&mut self, path: Option<Path>, fill: Fill) {
        if let Some(path) = path {
            let rule = FillRule::Winding;
            self.pixmap.fill_path(&path, &fill.paint(), rule, self.transform, None);
        }
    }

    fn stroke(&mut self, path: &Path, width: f32, fill: Fill) {
        let stroke = Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
        self.pixmap.stroke_path(path, &fill.paint(), &stroke, self.transform, None);
    }
}

/// How much of a pixel is inside a rectangle with round corners, from 0 to 1.
fn corner_coverage((x, y): (i32, i32), (width, height): (i32, i32), corner: i32) -> f32 {
    if corner == 0 {
        return 1.0;
    }
    let beyond = |at: i32, length: i32| (corner - at).max(at - (length - 1 - corner)).max(0) as f32;
    let distance = beyond(x, width).hypot(beyond(y, height));
    (corner as f32 + 0.5 - distance).clamp(0.0, 1.0)
}

fn point((x, y): CanvasPoint) -> Point {
    Point::from_xy(x, y)
}

fn with_alpha([r, g, b]: Rgb, alpha: f32) -> Color {
    Color::from_rgba8(r, g, b, (alpha.clamp(0.0, 1.0) * 255.0).round() as u8)
}

fn stops(start: Color, end: Color) -> Vec<GradientStop> {
    vec![GradientStop::new(0.0, start), GradientStop::new(1.0, end)]
}

fn outline(corners: &[CanvasPoint], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (index, &(x, y)) in corners.iter().enumerate() {
        if index == 0 {
            path.move_to(x, y);
        } else {
            path.line_to(x, y);
        }
    }
    if closed {
        path.close();
    }
    path.finish()
}
