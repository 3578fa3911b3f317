//! Tables of draws of one reader's posterior, equally weighted:
//!
//! | table | columns |
//! |---|---|
//! | `draws_theta` | `reader,density,draw,coefficient,value` |
//! | `draws_density` | `reader,density,draw,x,unit,value` |
//!
//! The logarithm of a density is the sum over coefficients of value times feature, up to its
//! normaliser (section 4 of the model):
//!
//! | coefficient | feature |
//! |---|---|
//! | `eta1` | `log x`, x in characters or ms |
//! | `eta2` | `10 x / U`, where U is the largest x of that density in `draws_density` |
//! | `w1`, `w2`, ... | the eigenvectors of the Gaussian process, largest first, each times the root of its eigenvalue |
//!
//! `draws_density` has the same draws where the support begins and at the nodes of the grid beyond.
//! They integrate to one, and are per character (`unit` is `characters`) or per ms (`ms`).

use gazeprint_eval::portrait::Portrait;

use crate::csv::{Csv, Value};

/// `draws_theta.csv`: the coefficients.
pub fn coefficients(portrait: &Portrait) -> String {
    let mut table = Csv::new(&["reader", "density", "draw", "coefficient", "value"]);
    for fit in &portrait.draws {
        for (draw, theta) in fit.coefficients.iter().enumerate() {
            for (a, &value) in theta.iter().enumerate() {
                table.row(&[
                    Value::Word(&portrait.densities.reader),
                    Value::Word(fit.density.name()),
                    Value::Count(draw + 1),
                    Value::Word(&coefficient(a)),
                    Value::Rounded(value),
                ]);
            }
        }
    }
    table.into_text()
}

fn coefficient(a: usize) -> String {
    if a < 2 { format!("eta{}", a + 1) } else { format!("w{}", a - 1) }
}

/// `draws_density.csv`: the densities.
pub fn densities(portrait: &Portrait) -> String {
    let mut table = Csv::new(&["reader", "density", "draw", "x", "unit", "value"]);
    for fit in &portrait.draws {
        let unit = if fit.density.is_duration() { "ms" } else { "characters" };
        for (draw, values) in fit.values.iter().enumerate() {
            for (&x, &value) in fit.x.iter().zip(values) {
                table.row(&[
                    Value::Word(&portrait.densities.reader),
                    Value::Word(fit.density.name()),
                    Value::Count(draw + 1),
                    Value::Rounded(x),
                    Value::Word(unit),
                    Value::Rounded(value),
                ]);
            }
        }
    }
    table.into_text()
}
