//! Anti-aliased shapes on a small picture: tiny-skia with the few calls the painters need.

use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Paint, Path, PathBuilder, Pixmap, Point,
    RadialGradient, Rect, Shader, SpreadMode, Stroke, Transform,
};

use super::color::{Rgb, mix};
use super::raster;

/// A corner or centre on the canvas, in pixels.
pub type At = (f32, f32);

/// What a shape is filled with.
#[derive(Clone, Copy)]
pub enum Ink {
    Flat(Rgb),
    Veil(Rgb, f32),
    Linear(At, Rgb, At, Rgb),
    /// A veil that fades to nothing from the first place to the second.
    Fade(At, At, Rgb, f32),
    /// Light that fades to nothing at the radius.
    Glow(At, f32, Rgb, f32),
}

impl Ink {
    /// A gradient from one height to another, the most common of all.
    pub fn down(from: f32, top: Rgb, to: f32, bottom: Rgb) -> Self {
        Self::Linear((0.0, from), top, (0.0, to), bottom)
    }

    fn paint(self) -> Paint<'static> {
        let shader = match self {
            Self::Flat(color) => Some(Shader::SolidColor(opaque(color, 1.0))),
            Self::Veil(color, alpha) => Some(Shader::SolidColor(opaque(color, alpha))),
            Self::Linear(from, start, to, end) => LinearGradient::new(
                point(from),
                point(to),
                stops(opaque(start, 1.0), opaque(end, 1.0)),
                SpreadMode::Pad,
                Transform::identity(),
            ),
            Self::Fade(from, to, color, alpha) => LinearGradient::new(
                point(from),
                point(to),
                stops(opaque(color, alpha), opaque(color, 0.0)),
                SpreadMode::Pad,
                Transform::identity(),
            ),
            Self::Glow(centre, radius, color, alpha) => RadialGradient::new(
                point(centre),
                0.0,
                point(centre),
                radius,
                stops(opaque(color, alpha), opaque(color, 0.0)),
                SpreadMode::Pad,
                Transform::identity(),
            ),
        };
        Paint { shader: shader.unwrap_or(Shader::SolidColor(Color::TRANSPARENT)), ..Paint::default() }
    }
}

/// A change of colour from one row to another.
#[derive(Clone, Copy)]
pub struct Shade {
    pub from: (i32, Rgb),
    pub to: (i32, Rgb),
}

impl Shade {
    fn at(self, y: i32) -> Rgb {
        let span = (self.to.0 - self.from.0).max(1);
        mix(self.from.1, self.to.1, (y - self.from.0) as f32 / span as f32)
    }
}

/// A picture being drawn; shapes too degenerate to draw are left out.
pub struct Canvas {
    pub(super) pixmap: Pixmap,
    /// Applied to every shape, so that motifs can be drawn at any place and size.
    pub view: Transform,
}

impl Canvas {
    pub fn new(width: u32, height: u32) -> Self {
        Self {
            pixmap: Pixmap::new(width.max(1), height.max(1)).expect("a picture that fits memory"),
            view: Transform::identity(),
        }
    }

    pub fn width(&self) -> f32 {
        self.pixmap.width() as f32
    }

    pub fn height(&self) -> f32 {
        self.pixmap.height() as f32
    }

    /// Fills the whole picture.
    pub fn wash(&mut self, ink: Ink) {
        self.rect(0.0, 0.0, self.width(), self.height(), ink);
    }

    pub fn rect(&mut self, x: f32, y: f32, width: f32, height: f32, ink: Ink) {
        if let Some(rect) = Rect::from_xywh(x, y, width, height) {
            self.fill(Some(PathBuilder::from_rect(rect)), ink);
        }
    }

    /// Fills squares of one side that the view may scale and turn.
    pub fn squares(&mut self, corners: impl Iterator<Item = At>, side: f32, ink: Ink) {
        let mut path = PathBuilder::new();
        for (x, y) in corners {
            if let Some(rect) = Rect::from_xywh(x, y, side, side) {
                path.push_rect(rect);
            }
        }
        self.fill(path.finish(), ink);
    }

    /// Fills squares on whole pixels, shaded from one height to another: fast enough for lines of text.
    pub fn dots(&mut self, corners: impl Iterator<Item = (i32, i32)>, side: i32, shade: Shade) {
        let (columns, rows) = (self.pixmap.width() as i32, self.pixmap.height() as i32);
        let data = self.pixmap.data_mut();
        for (left, top) in corners {
            for y in top.max(0)..(top + side).min(rows) {
                let [r, g, b] = shade.at(y);
                for x in left.max(0)..(left + side).min(columns) {
                    let at = ((y * columns + x) * 4) as usize;
                    data[at..at + 4].copy_from_slice(&[r, g, b, u8::MAX]);
                }
            }
        }
    }

    pub fn rounded(&mut self, x: f32, y: f32, width: f32, height: f32, radius: f32, ink: Ink) {
        let (right, bottom) = (x + width, y + height);
        self.shape(ink, |path| {
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

    pub fn circle(&mut self, x: f32, y: f32, radius: f32, ink: Ink) {
        self.fill(PathBuilder::from_circle(x, y, radius), ink);
    }

    pub fn oval(&mut self, x: f32, y: f32, rx: f32, ry: f32, ink: Ink) {
        if let Some(rect) = Rect::from_ltrb(x - rx, y - ry, x + rx, y + ry) {
            self.fill(PathBuilder::from_oval(rect), ink);
        }
    }

    pub fn polygon(&mut self, corners: &[At], ink: Ink) {
        self.fill(outline(corners, true), ink);
    }

    /// An open line with round ends.
    pub fn line(&mut self, corners: &[At], width: f32, ink: Ink) {
        if let Some(path) = outline(corners, false) {
            self.stroke(&path, width, ink);
        }
    }

    pub fn ring(&mut self, x: f32, y: f32, radius: f32, width: f32, ink: Ink) {
        if let Some(path) = PathBuilder::from_circle(x, y, radius) {
            self.stroke(&path, width, ink);
        }
    }

    /// A closed shape built curve by curve.
    pub fn shape(&mut self, ink: Ink, build: impl FnOnce(&mut PathBuilder)) {
        let mut path = PathBuilder::new();
        build(&mut path);
        path.close();
        self.fill(path.finish(), ink);
    }

    /// Light about a place, painted no further than it reaches.
    pub fn glow(&mut self, (x, y): At, radius: f32, color: Rgb, strength: f32) {
        let (left, top) = ((x - radius).max(0.0), (y - radius).max(0.0));
        let right = (x + radius).min(self.width());
        let bottom = (y + radius).min(self.height());
        let ink = Ink::Glow((x, y), radius, color, strength);
        self.rect(left, top, right - left, bottom - top, ink);
    }

    pub fn into_png(self) -> Vec<u8> {
        let (width, height) = (self.pixmap.width(), self.pixmap.height());
        raster::encode(width, height, &self.pixmap.take_demultiplied())
    }

    fn fill(&mut self, path: Option<Path>, ink: Ink) {
        if let Some(path) = path {
            let rule = FillRule::Winding;
            self.pixmap.fill_path(&path, &ink.paint(), rule, self.view, None);
        }
    }

    fn stroke(&mut self, path: &Path, width: f32, ink: Ink) {
        let stroke = Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
        self.pixmap.stroke_path(path, &ink.paint(), &stroke, self.view, None);
    }
}

fn point((x, y): At) -> Point {
    Point::from_xy(x, y)
}

fn opaque([r, g, b]: Rgb, alpha: f32) -> Color {
    Color::from_rgba8(r, g, b, (alpha.clamp(0.0, 1.0) * 255.0).round() as u8)
}

fn stops(start: Color, end: Color) -> Vec<GradientStop> {
    vec![GradientStop::new(0.0, start), GradientStop::new(1.0, end)]
}

fn outline(corners: &[At], closed: bool) -> Option<Path> {
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
