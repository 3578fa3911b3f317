//! Whether the gallery is there, as of a moment ago. Anybody may ask, as often as they like: the gallery is looked at once
//! a second at most, and not where questions wait.

use std::sync::Arc;
use std::time::Duration;

use gazeprint_recognition::Recognizer;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::app::App;
use crate::problem::Problem;

/// How old an answer may be, and how long a look at the gallery may take.
const FRESH: Duration = Duration::from_secs(1);

type Answer = Result<(), Problem>;

/// What was found last, and when.
#[derive(Default)]
pub(crate) struct Readiness(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    last: Option<(Instant, Answer)>,
    /// A look that takes longer: there is one at a time.
    looking: Option<JoinHandle<Answer>>,
}

impl Readiness {
    /// Whether the gallery is there.
    pub(crate) async fn check(&self, app: &Arc<App>) -> Answer {
        let mut seen = self.0.lock().await;
        if let Some((_, answer)) = seen.last.as_ref().filter(|(at, _)| at.elapsed() < FRESH) {
            return answer.clone();
        }
        let looking = seen.looking.get_or_insert_with(|| {
            let app = Arc::clone(app);
            tokio::task::spawn_blocking(move || look(&app))
        });
        let answer = match timeout(FRESH, looking).await {
            Ok(looked) => {
                seen.looking = None;
                looked.unwrap_or_else(|error| Err(Problem::bug(error.to_string())))
            }
            Err(_) => Err(Problem::late(FRESH.as_secs())),
        };
        seen.last = Some((Instant::now(), answer.clone()));
        answer
    }
}

fn look(app: &App) -> Answer {
    match Recognizer::exists(app.desk.location()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Problem::unwritable()),
        Err(error) => Err(app.problem(&error)),
    }
}
