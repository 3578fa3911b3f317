//! The saccade before a fixation, as the fixation report has it.

use gazeprint::kinematics::Kinematics;

use crate::import::aliases::plain;
use crate::import::recording::Sink;
use crate::import::values::number;
use crate::table::Row;

/// What the report says of the saccade that leads to a fixation, in degrees, milliseconds and degrees
/// per second.
const NAMES: [&str; 5] = [
    "PREVIOUS_SAC_AMPLITUDE",
    "PREVIOUS_SAC_ANGLE",
    "PREVIOUS_SAC_DURATION",
    "PREVIOUS_SAC_PEAK_VELOCITY",
    "PREVIOUS_SAC_AVG_VELOCITY",
];

/// The columns of saccades that a report has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SaccadeColumns([Option<usize>; NAMES.len()]);

impl SaccadeColumns {
    pub(super) fn of(header: &[String]) -> Self {
        Self(NAMES.map(|name| header.iter().position(|column| plain(column) == plain(name))))
    }

    pub(super) fn note(&self, sink: &mut dyn Sink) {
        let there = NAMES.iter().zip(self.0).filter(|(_, column)| column.is_some());
        let there: Vec<&str> = there.map(|(name, _)| *name).collect();
        if there.is_empty() {
            return;
        }
        sink.note(format!("kinematics of saccades are those of {}", there.join(", ")));
        if self.0[1].is_some() {
            sink.note("angles of saccades count upwards, as Data Viewer has them".to_owned());
        }
    }

    /// What a row says. A cell that is no number says nothing.
    pub(super) fn read(&self, row: Row<'_>) -> Kinematics {
        let [amplitude, angle, duration, peak, mean] =
            self.0.map(|column| number(row.cell(column?), true));
        // A mean velocity is as good as a duration.
        let lasting = amplitude.zip(mean.filter(|mean| *mean > 0.0));
        let duration = duration.or(lasting.map(|(amplitude, mean)| 1000.0 * amplitude / mean));
        let step = amplitude.zip(angle).map(|(amplitude, angle)| {
            let (sin, cos) = angle.to_radians().sin_cos();
            // Downwards is positive on screens.
            (amplitude * cos, -amplitude * sin)
        });
        let [dx, dy] = [step.map(|(x, _)| x), step.map(|(_, y)| y)];
        let [dx, dy, duration, peak_velocity] =
            [dx, dy, duration, peak].map(|value| value.map(|value| value as f32));
        Kinematics { dx, dy, duration, peak_velocity, ..Kinematics::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::testing::Collected;
    use crate::table::Rows;

    fn read(table: &str) -> (Vec<Kinematics>, Vec<String>) {
        let mut input = table.as_bytes();
        let mut rows = Rows::open(&mut input, "rows").unwrap();
        let columns = SaccadeColumns::of(&rows.header);
        let mut found = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            found.push(columns.read(row));
        }
        let mut sink = Collected::default();
        columns.note(&mut sink);
        (found, sink.notes)
    }

    #[test]
    fn saccades_before_fixations_are_read() {
        let (found, notes) = read(
            "PREVIOUS_SAC_AMPLITUDE;PREVIOUS_SAC_ANGLE;PREVIOUS_SAC_PEAK_VELOCITY;PREVIOUS_SAC_AVG_VELOCITY\n\
             2,0;90;150;80\n.;.;.;.\n3;180;abc;0\n",
        );
        let [up, none, left] = found[..] else { panic!("{found:?}") };
        assert!(up.dx.unwrap().abs() < 1e-6 && (up.dy.unwrap() + 2.0).abs() < 1e-6, "{up:?}");
        assert_eq!((up.duration, up.peak_velocity), (Some(25.0), Some(150.0)));
        assert!(none.is_empty());
        assert_eq!((left.dx, left.duration, left.peak_velocity), (Some(-3.0), None, None));
        assert!(notes.iter().any(|note| note.contains("PREVIOUS_SAC_ANGLE")), "{notes:?}");
    }

    #[test]
    fn a_report_without_saccades_says_nothing_of_them() {
        let (found, notes) = read("CURRENT_FIX_X,CURRENT_FIX_Y\n1,2\n");
        assert!(found[0].is_empty() && notes.is_empty());
    }
}
