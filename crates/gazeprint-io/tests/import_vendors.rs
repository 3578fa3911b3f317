//! What the programs of trackers and of laboratories write comes back as the fixations that they wrote,
//! whatever the order of trials and columns. Their files are made here, after the real ones.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod written;

use std::io::Read;
use std::path::Path;

use gazeprint_io::import::{Format, Imported, NamePattern, Request, import};
use proptest::collection::vec;
use proptest::prelude::*;

use written::{
    Cell, READER, Readings, SCREEN, TEXT, Written, X, Y, close, decided, on_screen, readings, run,
    written,
};

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tables_of_r(written in written(3), with_names in any::<bool>()) {
        let quoted: (&str, Cell) = ("\"subject\"", |reader, _, _, _| format!("\"{reader}\""));
        let columns: [(&str, Cell); 6] = [
            quoted,
            ("\"item\"", |_, text, _, _| format!("\"{text}\"")),
            ("\"x_px\"", X.1),
            ("\"y_px\"", Y.1),
            ("\"onset\"", |_, _, _, seen| seen[2].to_string()),
            ("\"dur\"", |_, _, _, seen| seen[3].to_string()),
        ];
        let rows = |at: usize, row: Vec<String>| match with_names {
            true => vec![[vec![format!("\"{at}\"")], row].concat()],
            false => vec![row],
        };
        let text = written.table(&columns, " ", rows);
        written.comes_back(&[("fix.txt", text)], Request::default())?;
    }

    #[test]
    fn starts_and_ends(written in written(3), unit in 0_usize..3) {
        let columns: [(&str, Cell); 6] = [
            READER, TEXT, X, Y,
            ("start", |_, _, _, seen| seen[2].to_string()),
            ("end", |_, _, _, seen| (seen[2] + seen[3]).to_string()),
        ];
        let seconds: [(&str, Cell); 2] = [
            ("start", |_, _, _, seen| (seen[2] / 1e3).to_string()),
            ("end", |_, _, _, seen| ((seen[2] + seen[3]) / 1e3).to_string()),
        ];
        let micros: [(&str, Cell); 2] = [
            ("start", |_, _, _, seen| (seen[2] * 1e3).to_string()),
            ("end", |_, _, _, seen| ((seen[2] + seen[3]) * 1e3).to_string()),
        ];
        let mut columns = columns;
        match unit {
            0 => {}
            1 => columns[4..].copy_from_slice(&seconds),
            _ => columns[4..].copy_from_slice(&micros),
        }
        written.comes_back(&[("fix.csv", written.once(&columns, ","))], Request::default())?;
    }

    #[test]
    fn gazepoint(written in written(1), all in any::<bool>()) {
        let written = written.of_file("User 1_gaze");
        let columns: [(&str, Cell); 9] = [
            ("MEDIA_ID", |_, _, _, _| "0".to_owned()),
            ("MEDIA_NAME", TEXT.1),
            ("TIME(2024/05/28 10:50:03.123)", |_, _, _, seen| (seen[2] / 1e3).to_string()),
            ("FPOGX", |_, _, _, seen| (seen[0] / SCREEN.0).to_string()),
            ("FPOGY", |_, _, _, seen| (seen[1] / SCREEN.1).to_string()),
            ("FPOGS", |_, _, _, seen| (seen[2] / 1e3).to_string()),
            ("FPOGD", |_, _, _, seen| (seen[3] / 1e3).to_string()),
            ("FPOGID", |_, _, number, _| number.to_string()),
            ("FPOGV", |_, _, _, _| "1".to_owned()),
        ];
        let turn = written.seed % columns.len();
        let at = |name: &str| {
            let place = columns.iter().position(|(column, _)| *column == name).unwrap();
            (place + columns.len() - turn) % columns.len()
        };
        let (lasts, valid) = (at("FPOGD"), at("FPOGV"));
        // A row for each sample: it lasts longer and longer, and then the eye moves.
        let rows = |_: usize, row: Vec<String>| {
            let (mut early, mut moving) = (row.clone(), row.clone());
            early[lasts] = "0.016".to_owned();
            moving[valid] = "0".to_owned();
            if all { vec![early, row, moving] } else { vec![row] }
        };
        let text = written.table(&columns, ",", rows);
        written.comes_back(&[("User 1_gaze.csv", text)], on_screen())?;
    }

    #[test]
    fn pupil_labs(written in written(1)) {
        let written = written.of_file("p1");
        let columns: [(&str, Cell); 8] = [
            ("world_index", |_, _, number, _| number.to_string()),
            ("fixation_id", |_, _, number, _| number.to_string()),
            ("start_timestamp", |_, _, _, seen| (seen[2] / 1e3).to_string()),
            ("duration", |_, _, _, seen| seen[3].to_string()),
            ("norm_pos_x", |_, _, _, seen| (seen[0] / SCREEN.0).to_string()),
            ("norm_pos_y", |_, _, _, seen| (1.0 - seen[1] / SCREEN.1).to_string()),
            ("on_surf", |_, _, _, _| "True".to_owned()),
            ("text", TEXT.1),
        ];
        let text = written.table(&columns, ",", |_, row| vec![row.clone(), row]);
        written.comes_back(&[("p1.csv", text)], on_screen())?;
    }

    #[test]
    fn smi_events(written in written(1)) {
        // Texts are numbers of trials, and the reader is told before the table.
        let written = written.of_file("P07");
        let micros = |ms: f64| format!("{:.0}", 3.38e12 + ms * 1e3);
        let mut text = "[iView]\n\nSubject:\tP07\nDescription:\tRun1\n\nTable Header for Fixations:\n\
            Event Type\tTrial\tNumber\tStart\tEnd\tDuration\tLocation X\tLocation Y\tDispersion X\n\n\
            Table Header for Saccades:\nEvent Type\tTrial\tNumber\tStart\tEnd\tDuration\tStart Loc.X\t\
            Start Loc.Y\tEnd Loc.X\tEnd Loc.Y\tAmplitude\n\nTable Header for User Events:\n\
            Event Type\tTrial\tNumber\tStart\tDescription\n\n".to_owned();
        for key in &written.order {
            text += &format!("UserEvent\t{}\t1\t3380000000000\t# Message: page.jpg\n", key.1);
            for (at, [x, y, onset, lasts]) in written.readings[key].iter().enumerate() {
                let (start, end) = (micros(*onset), micros(onset + lasts));
                text += &format!(
                    "Fixation L\t{}\t{}\t{start}\t{end}\t{:.0}\t{x}\t{y}\t20\n\
                     Saccade L\t{}\t{at}\t{end}\t{end}\t20000\t1\t2\t3\t4\t5.5\n",
                    key.1, at + 1, lasts * 1e3, key.1
                );
            }
        }
        let (imported, report) = run(&[("a Events.txt", text)], Request::default()).unwrap();
        let mut found = readings(&imported);
        found.values_mut().flatten().for_each(|seen| seen[2] -= 3.38e9);
        prop_assert!(close(&found, &written.readings), "{found:?} {:?} {report:#?}", written.readings);
        prop_assert!(report.dropped.iter().all(|drop| !drop.is_loss), "{:?}", report.dropped);
    }

    #[test]
    fn smi_statistics(written in written(3), names in any::<bool>()) {
        let columns: [(&str, Cell); 9] = [
            ("Trial", |_, text, _, _| format!("Trial{text}")),
            ("Stimulus", TEXT.1),
            ("Participant", READER.1),
            ("Eye L/R", |_, _, _, _| "Right".to_owned()),
            ("Event Start Trial Time [ms]", |_, _, _, seen| seen[2].to_string()),
            ("Event End Trial Time [ms]", |_, _, _, seen| (seen[2] + seen[3]).to_string()),
            ("Category", |_, _, _, _| "Fixation".to_owned()),
            ("Fixation Position X [px]", X.1),
            ("Fixation Position Y [px]", Y.1),
        ];
        let mut columns = columns;
        if names {
            // Later versions, of recordings with glasses.
            columns[6].1 = |_, _, _, _| "Visual Intake".to_owned();
            columns[7].0 = "Visual Intake Position X [px]";
            columns[8].0 = "Visual Intake Position Y [px]";
        }
        let turn = written.seed % columns.len();
        let kind = (6 + columns.len() - turn) % columns.len();
        let rows = |_: usize, row: Vec<String>| {
            let mut blink = row.clone();
            blink[kind] = "Blink".to_owned();
            vec![row, blink]
        };
        let text = written.table(&columns, "\t", rows);
        written.comes_back(&[("Event Statistics - Single.txt", text)], Request::default())?;
    }

    #[test]
    fn tobii_studio_2(written in written(1)) {
        let written = written.of_file("P13");
        let columns: [(&str, Cell); 6] = [
            ("Timestamp", |_, _, _, seen| seen[2].to_string()),
            ("StimuliName", TEXT.1),
            ("FixationIndex", |_, _, number, _| number.to_string()),
            ("FixationDuration", |_, _, _, seen| seen[3].to_string()),
            ("MappedFixationPointX", X.1),
            ("MappedFixationPointY", Y.1),
        ];
        let turn = written.seed % columns.len();
        let text_at = (1 + columns.len() - turn) % columns.len();
        let rows = |_: usize, row: Vec<String>| {
            let mut between = vec![String::new(); row.len()];
            between[text_at].clone_from(&row[text_at]);
            vec![row.clone(), row, between]
        };
        let table = written.table(&columns, "\t", rows);
        let text = format!(
            "System Properties:\nOperating System:\tMicrosoft Windows 7\nSystem User Name:\tlab\n\n\
             Data Properties:\nRecording name:\tRec 01\nParticipant:\tP13\n\
             Recording resolution:\t1280 x 1024\n\nExport Properties:\n\n{table}"
        );
        let mut wanted = written.clone();
        // Times are those of samples, and not of fixations.
        wanted.readings.values_mut().flatten().for_each(|seen| seen[2] = 0.0);
        wanted.comes_back(&[("rec01-All-Data.tsv", text)], Request::default())?;
    }

    #[test]
    fn tobii_studio_3_and_pro_lab(written in written(3), is_studio in any::<bool>()) {
        let studio: [(&str, Cell); 9] = [
            ("ParticipantName", READER.1),
            ("RecordingName", |reader, text, _, _| format!("Rec {reader} {text}")),
            ("MediaName", TEXT.1),
            ("RecordingTimestamp", |_, _, _, seen| seen[2].to_string()),
            ("FixationIndex", |_, _, number, _| number.to_string()),
            ("GazeEventType", |_, _, _, _| "Fixation".to_owned()),
            ("GazeEventDuration", |_, _, _, seen| seen[3].to_string()),
            ("FixationPointX (MCSpx)", X.1),
            ("FixationPointY (MCSpx)", Y.1),
        ];
        let lab: [(&str, Cell); 11] = [
            ("Recording timestamp", |_, _, _, seen| (seen[2] * 1e3).to_string()),
            ("Participant name", READER.1),
            ("Recording name", studio[1].1),
            ("Event", |_, _, _, _| String::new()),
            ("Presented Stimulus name", TEXT.1),
            ("Presented Media name", |_, _, _, _| "page.png".to_owned()),
            ("Eye movement type", studio[5].1),
            ("Gaze event duration", studio[6].1),
            ("Eye movement type index", studio[4].1),
            ("Fixation point X", X.1),
            ("Fixation point Y", Y.1),
        ];
        let columns: &[(&str, Cell)] = if is_studio { &studio } else { &lab };
        let time = columns.iter().position(|(name, _)| name.to_lowercase().ends_with("timestamp"));
        let turn = written.seed % columns.len();
        let time = (time.unwrap() + columns.len() - turn) % columns.len();
        // Samples every 8 ms.
        let rows = |_: usize, row: Vec<String>| {
            let first: f64 = row[time].parse().unwrap();
            let step = if is_studio { 8.0 } else { 8000.0 };
            (0..3).map(|i| {
                let mut row = row.clone();
                row[time] = (first + step * f64::from(i)).to_string();
                row
            }).collect()
        };
        let text = written.table(columns, "\t", rows);
        written.comes_back(&[("export.tsv", text)], Request::default())?;
    }

    #[test]
    fn json_of_eyekit_and_of_records(written in written(3), kind in 0_usize..3) {
        let mut trials = Vec::new();
        for key in &written.order {
            let fixations = written.readings[key].iter().map(|[x, y, onset, lasts]| {
                let end = onset + lasts;
                match kind {
                    0 => format!("[{x}, {y}, {onset}, {end}]"),
                    1 => format!("{{\"x\": {x}, \"y\": {y}, \"start\": {onset}, \"end\": {end}}}"),
                    _ => format!(
                        "{{\"reader\": \"{}\", \"text\": \"{}\", \"x_px\": {x}, \"y_px\": {y}, \
                         \"onset_ms\": {onset}, \"duration_ms\": {lasts}}}",
                        key.0, key.1
                    ),
                }
            });
            let fixations = fixations.collect::<Vec<_>>().join(", ");
            trials.push(match kind {
                2 => fixations,
                _ => format!(
                    "\"trial_{}\": {{\"participant_id\": \"{}\", \"fixations\": \
                     {{\"__FixationSequence__\": [{fixations}]}}, \"passage_id\": \"{}\"}}",
                    trials.len(), key.0, key.1
                ),
            });
        }
        let all = trials.join(", ");
        let text = if kind == 2 { format!("[{all}]") } else { format!("{{{all}}}") };
        written.comes_back(&[("data.json", text)], Request::default())?;
    }

    #[test]
    fn tables_without_text_or_reader_by_the_names_of_files(written in written(3)) {
        let columns: [(&str, Cell); 5] = [
            X, Y,
            ("onset_ms", |_, _, _, seen| seen[2].to_string()),
            ("duration_ms", |_, _, _, seen| seen[3].to_string()),
            ("pupil", |_, _, _, _| "900".to_owned()),
        ];
        let names: Vec<String> =
            written.order.iter().map(|(reader, text)| format!("{reader}_{text}.csv")).collect();
        let files: Vec<(&str, String)> = written.order.iter().zip(&names).map(|(key, name)| {
            let one = Written { order: vec![key.clone()], ..written.clone() };
            (name.as_str(), one.once(&columns, ";"))
        }).collect();
        let from_name = Some(NamePattern::new(r"(?<reader>[^_]+)_(?<text>[^_.]+)").unwrap());
        written.comes_back(&files, Request { from_name, ..Request::default() })?;
    }

    #[test]
    fn swift_with_ten_columns(
        words in vec((1_u32..4, 0_u32..300, 60_u32..700), 1..9),
        columns in 4_usize..11,
    ) {
        let mut text = String::new();
        let mut wanted = Vec::new();
        for (at, (word, letter, lasts)) in words.iter().enumerate() {
            let letter = f64::from(*letter) / 100.0;
            let flag = match (at == 0, at + 1 == words.len()) {
                (true, true) => 3,
                (true, false) => 1,
                (false, true) => 2,
                (false, false) => 0,
            };
            let row = format!("1 {word} {letter} {lasts} 20 {flag} 0 0 {} 10", at + 1);
            let cells: Vec<&str> = row.split(' ').take(columns).collect();
            text += &(cells.join(" ") + "\n");
            wanted.push((f64::from([0, 4, 8][*word as usize - 1]) - 1.0 + letter, f64::from(*lasts)));
        }
        let items = ("items.txt", "The old dog.\n".to_owned());
        let request = Request { text: Some("items.txt".into()), ..Request::default() };
        let named = [("fixseqin_PB2expVP10.dat", text), items];
        let open = |path: &Path| -> std::io::Result<Box<dyn Read>> {
            let (_, text) = named.iter().find(|(name, _)| Path::new(name) == path).unwrap();
            Ok(Box::new(std::io::Cursor::new(text.as_bytes().to_vec())))
        };
        let inputs = vec!["fixseqin_PB2expVP10.dat".into()];
        let (imported, report) = import(&Request { inputs, ..request }, "swift", &open).unwrap();
        let Imported::Corpus(corpus) = imported else { panic!("no corpus") };
        prop_assert_eq!(corpus.readers(), &["PB2expVP10".to_owned()][..]);
        let found: Vec<(f64, f64)> = corpus.scanpaths().iter().flat_map(|path| &path.fixations)
            .map(|f| (f.x.unwrap().0, f.duration.unwrap().0)).collect();
        prop_assert_eq!(found, wanted);
        prop_assert_eq!(report.dropped.len(), 0);
    }
}

#[test]
fn webgazer_of_jspsych_is_read_as_samples_would_be() {
    let places: Vec<(u32, f64, f64)> = (0..120)
        .map(|i| {
            let x = if i < 60 { 200.0 } else { 500.0 };
            (40 * i, x + f64::from(i % 3), 300.0 + f64::from(i % 2))
        })
        .collect();
    let samples = places.iter().map(|(t, x, y)| format!("{{\"x\": {x}, \"y\": {y}, \"t\": {t}}}"));
    let json = format!(
        "[{{\"trial_type\": \"preload\", \"trial_index\": 0, \"subject\": \"s1\"}}, \
         {{\"trial_type\": \"image\", \"trial_index\": 1, \"subject\": \"s1\", \"rt\": null, \
         \"webgazer_data\": [{}], \"webgazer_targets\": {{\"#t\": {{\"x\": 1, \"y\": 2}}}}}}]",
        samples.collect::<Vec<_>>().join(", ")
    );
    let rows = places.iter().map(|(t, x, y)| format!("s1,1,{t},{x},{y}\n"));
    let csv = "subject,trial_index,time_ms,x_px,y_px\n".to_owned() + &rows.collect::<String>();
    let (from_json, report) = run(&[("data.json", json)], Request::default()).unwrap();
    let (from_csv, _) = run(&[("data.csv", csv)], Request::default()).unwrap();
    assert_eq!(readings(&from_json), readings(&from_csv));
    assert!(report.fixations_kept > 0);
    decided(&report, "1 objects without fixations or samples are left out");
    assert_eq!(report.files[0].format, "json");
}

#[test]
fn reports_without_texts_take_them_from_the_names_of_files() {
    let report = "RECORDING_SESSION_LABEL\tTRIAL_INDEX\tCURRENT_FIX_X\tCURRENT_FIX_Y\t\
        CURRENT_FIX_DURATION\tCURRENT_FIX_START\nP1\t1\t512.5\t300\t200\t10\n";
    let files = [("fix_page7.txt", report.to_owned())];
    let error = run(&files, Request::default()).unwrap_err().to_string();
    assert!(error.contains("no column for text"), "{error}");
    let from_name = Some(NamePattern::new(r"_(?<text>\w+)\.").unwrap());
    let (imported, _) = run(&files, Request { from_name, ..Request::default() }).unwrap();
    let key = ("P1".to_owned(), "page7".to_owned());
    assert_eq!(readings(&imported), Readings::from([(key, vec![[512.5, 300.0, 10.0, 200.0]])]));
}

#[test]
fn characters_of_pymovements_become_words() {
    let aois = "char_idx,char,top_left_x,top_left_y,width,height,line_idx,page,word_idx,word\n\
        0,O,95,100,10,50,0,t,0,One\n1,n,105,100,10,50,0,t,0,One\n2,e,115,100,10,50,0,t,0,One\n\
        3,\" \",125,100,10,50,0,t,,\n4,t,135,100,10,50,0,t,1,three\n5,h,145,100,10,50,0,t,1,three\n\
        6,r,155,100,10,50,0,t,1,three\n7,e,165,100,10,50,0,t,1,three\n8,e,175,100,10,50,0,t,1,three\n\
        9,t,95,150,10,50,1,t,2,to\n10,o,105,150,10,50,1,t,2,to\n";
    let events = "subject_id,page,name,onset,offset,location\n1,t,fixation,100,300,\"[110, 120]\"\n\
        1,t,fixation,330,400,\"[140, 170]\"\n";
    let plain = aois.lines().map(|line| {
        let cells: Vec<&str> = line.splitn(9, ',').collect();
        cells[..8].join(",") + "\n"
    });
    for (aois, label) in [(aois.to_owned(), "three"), (plain.collect(), "three")] {
        let request = Request { words: Some("aoi.csv".into()), ..Request::default() };
        let files = [("events.csv", events.to_owned()), ("aoi.csv", aois)];
        let (imported, report) = run(&files, request).unwrap();
        let Imported::Corpus(corpus) = imported else { panic!("no corpus: {report:#?}") };
        decided(&report, "areas of 10 characters are put together to words");
        let lines = corpus.texts()[0].lines();
        let words: Vec<_> = lines.iter().flat_map(|line| line.words()).collect();
        let labels: Vec<_> = words.iter().map(|w| w.form.clone()).collect();
        assert_eq!((words.len(), lines.len()), (3, 2), "{labels:?}");
        assert!(format!("{labels:?}").contains(label), "{labels:?}");
    }
}

#[test]
fn what_cannot_be_read_as_it_is_says_how() {
    let gazepoint = "MEDIA_NAME,FPOGX,FPOGY,FPOGS,FPOGD,FPOGID,FPOGV\np,0.4,0.3,0.5,0.2,1,1\n";
    let small = "reader,text,x,y,dur\na,t,0.4,0.3,200\na,t,0.5,0.3,210\na,t,0.6,0.3,190\n";
    let blanks = "reader,text,Gaze X,dur,Gaze Y,x,x_pos\na,t,1,200,3,4,5\n";
    for (text, said) in [
        (gazepoint, "`size_px` WIDTHxHEIGHT"),
        (small, "x_norm=x"),
        (blanks, "`choices` \"x=Gaze X\""),
        ("{\"a\": 1}", "pandas.read_json"),
    ] {
        let error = run(&[("a", text.to_owned())], Request::default()).unwrap_err().to_string();
        assert!(error.contains(said), "{error} does not say {said}");
    }
    let da1 = Request { format: Some(Format::Da1), ..Request::default() };
    assert!(run(&[("a", "reader,text\n".to_owned())], da1).is_err());
}
