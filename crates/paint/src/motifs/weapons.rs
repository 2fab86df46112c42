//! Motifs of tools and weapons, on a square of 64.

use tiny_skia::Transform;

use super::Coat;
use crate::Dice;
use crate::canvas::{Canvas, Ink};
use crate::color::{Rgb, darker, hex, lighter};

const WOOD: Rgb = hex(0x9A6236);
const WOOD_DARK: Rgb = hex(0x5E3719);

/// Draws with the canvas turned about the middle of the square.
fn turned(canvas: &mut Canvas, degrees: f32, draw: impl FnOnce(&mut Canvas)) {
    let before = canvas.view;
    canvas.view = before.pre_concat(Transform::from_rotate_at(degrees, 32.0, 32.0));
    draw(canvas);
    canvas.view = before;
}

fn handle(canvas: &mut Canvas, x: f32, top: f32, width: f32, bottom: f32) {
    let ink = Ink::Linear((x, 0.0), WOOD, (x + width, 0.0), WOOD_DARK);
    canvas.rounded(x, top, width, bottom - top, 2.0, ink);
}

fn upright_sword(canvas: &mut Canvas, coat: &Coat) {
    let edge = [(32.0, -3.0), (26.0, 8.0), (26.0, 44.0), (32.0, 44.0)];
    canvas.polygon(&edge, Ink::Flat(coat.light));
    let back = [(32.0, -3.0), (38.0, 8.0), (38.0, 44.0), (32.0, 44.0)];
    canvas.polygon(&back, Ink::Flat(coat.main));
    canvas.rect(31.2, 9.0, 1.6, 34.0, Ink::Flat(coat.dark));
    handle(canvas, 29.5, 46.0, 5.0, 58.0);
    let guard = Ink::down(42.0, lighter(coat.trim, 0.3), 48.0, darker(coat.trim, 0.2));
    canvas.rounded(20.0, 42.5, 24.0, 5.5, 2.5, guard);
    canvas.circle(32.0, 59.0, 4.0, guard);
}

pub fn sword(canvas: &mut Canvas, coat: &Coat, _dice: &mut Dice) {
    turned(canvas, 45.0, |canvas| upright_sword(canvas, coat));
}

pub fn crossed_swords(canvas: &mut Canvas, coat: &Coat, _dice: &mut Dice) {
    turned(canvas, -45.0, |canvas| upright_sword(canvas, coat));
    turned(canvas, 45.0, |canvas| upright_sword(canvas, coat));
}

pub fn pickaxe(canvas: &mut Canvas, coat: &Coat, _dice: &mut Dice) {
    turned(canvas, 45.0, |canvas| {
        handle(canvas, 29.0, 10.0, 6.0, 64.0);
        canvas.shape(Ink::Linear((6.0, 0.0), coat.light, (58.0, 0.0), coat.dark), |path| {
            path.move_to(4.0, 27.0);
            path.quad_to(12.0, 5.0, 32.0, 4.0);
            path.quad_to(52.0, 5.0, 60.0, 27.0);
            path.quad_to(46.0, 15.0, 32.0, 15.0);
            path.quad_to(18.0, 15.0, 4.0, 27.0);
        });
        let band = Ink::down(2.0, lighter(coat.trim, 0.2), 18.0, coat.trim);
        canvas.rounded(27.0, 2.5, 10.0, 14.0, 2.0, band);
    });
}

pub fn axe(canvas: &mut Canvas, coat: &Coat, _dice: &mut Dice) {
    turned(canvas, 35.0, |canvas| {
        handle(canvas, 28.0, 4.0, 6.0, 62.0);
        canvas.shape(Ink::Linear((32.0, 0.0), coat.dark, (56.0, 0.0), coat.main), |path| {
            path.move_to(33.0, 12.0);
            path.quad_to(44.0, 11.0, 52.0, 3.0);
            path.quad_to(64.0, 20.0, 52.0, 39.0);
            path.quad_to(44.0, 29.0, 33.0, 28.0);
        });
        canvas.shape(Ink::Flat(coat.light), |path| {
            path.move_to(52.0, 3.0);
            path.quad_to(64.0, 20.0, 52.0, 39.0);
            path.quad_to(57.0, 21.0, 52.0, 3.0);
        });
        canvas.polygon(
            &[(29.0, 13.0), (16.0, 9.0), (16.0, 31.0), (29.0, 27.0)],
            Ink::down(9.0, coat.main, 31.0, coat.dark),
        );
        canvas.rounded(26.0, 11.0, 10.0, 18.0, 2.0, Ink::Flat(coat.trim));
    });
}

fn shield_half(canvas: &mut Canvas, side: f32, inset: f32, ink: Ink) {
    let reach = (23.0 - inset) * side;
    canvas.shape(ink, |path| {
        path.move_to(32.0, 6.0 + inset);
        path.quad_to(32.0 + reach * 0.55, 12.0 + inset, 32.0 + reach, 12.0 + inset);
        path.line_to(32.0 + reach, 30.0);
        path.quad_to(32.0 + reach, 49.0 - inset * 0.6, 32.0, 60.0 - inset * 1.2);
    });
}

pub fn shield(canvas: &mut Canvas, coat: &Coat, _dice: &mut Dice) {
    let rim = Ink::Linear((10.0, 6.0), lighter(coat.trim, 0.5), (54.0, 60.0), coat.trim);
    shield_half(canvas, -1.0, 0.0, rim);
    shield_half(canvas, 1.0, 0.0, rim);
    shield_half(canvas, -1.0, 4.5, Ink::down(8.0, coat.light, 50.0, coat.main));
    shield_half(canvas, 1.0, 4.5, Ink::down(8.0, coat.main, 50.0, coat.dark));
    let cross = Ink::Flat(darker(coat.dark, 0.35));
    canvas.rounded(29.0, 18.0, 6.0, 30.0, 2.0, cross);
    canvas.rounded(20.0, 25.0, 24.0, 6.0, 2.0, cross);
}

pub fn bow(canvas: &mut Canvas, coat: &Coat, _dice: &mut Dice) {
    turned(canvas, -45.0, |canvas| {
        canvas.line(&[(26.0, 4.0), (26.0, 60.0)], 1.6, Ink::Flat(coat.light));
        canvas.shape(Ink::down(4.0, coat.main, 60.0, coat.dark), |path| {
            path.move_to(24.0, 2.0);
            path.cubic_to(34.0, 8.0, 48.0, 16.0, 48.0, 32.0);
            path.cubic_to(48.0, 48.0, 34.0, 56.0, 24.0, 62.0);
            path.cubic_to(34.0, 52.0, 40.0, 46.0, 40.0, 32.0);
            path.cubic_to(40.0, 18.0, 34.0, 12.0, 24.0, 2.0);
        });
        canvas.rounded(38.5, 25.0, 11.0, 14.0, 3.0, Ink::Flat(WOOD_DARK));
        canvas.line(&[(4.0, 32.0), (56.0, 32.0)], 3.2, Ink::Flat(WOOD));
        let tip = [(63.0, 32.0), (52.0, 25.5), (54.5, 32.0), (52.0, 38.5)];
        canvas.polygon(&tip, Ink::Flat(coat.light));
        for x in [2.0, 7.0] {
            let feather = [(x + 8.0, 32.0), (x + 3.0, 26.0), (x, 26.0), (x + 4.0, 32.0), (x, 38.0), (x + 3.0, 38.0)];
            canvas.polygon(&feather, Ink::Flat(coat.trim));
        }
    });
}
