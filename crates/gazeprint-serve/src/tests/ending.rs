//! The end of the server.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::fixture::Fixture;
use crate::listen::serve;
use crate::options::ServeOptions;

#[tokio::test(flavor = "multi_thread")]
async fn the_end_waited_for_changes_for_ever() {
    let grace = Duration::from_millis(300);
    let fixture = Fixture::with(ServeOptions { grace, ..Default::default() });
    let (go, held) = std::sync::mpsc::channel::<()>();
    let app = Arc::clone(&fixture.app);
    let change = tokio::spawn(async move { app.workshop.change(move || held.recv()).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    fixture.app.stopping.send_replace(true);
    let begun = Instant::now();
    serve(Arc::clone(&fixture.app), listener, None).await.unwrap();
    let took = begun.elapsed();
    assert!(took >= grace && took < grace + Duration::from_secs(5), "{took:?}");
    assert!(fixture.app.is_over());
    drop(go);
    _ = change.await.unwrap();
}
