//! Mutated inputs for every parser of recordings: none may panic or hang, and whatever is refused is
//! refused with a place.
//!
//! `GAZEPRINT_FUZZ_CASES` sets how many inputs each parser gets, and `GAZEPRINT_FUZZ_PARSER` names one that
//! gets them alone. A parser is added with a line in
//! [`PARSERS`] and seeds of at most 2 kB.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::BufRead;
use std::time::{Duration, Instant};

use gazeprint_io::import::asc::{self, AscOptions};
use gazeprint_io::import::bids::{self, BidsOptions, EventTable, Metadata, Side};
use gazeprint_io::import::dataviewer::{self, CharacterMap, ReportOptions, Words, areas};
use gazeprint_io::import::detect::Scale;
use gazeprint_io::import::layout::lines::Method;
use gazeprint_io::import::layout::monospaced::{self, Display, Vertical};
use gazeprint_io::import::popeye::{self, GatheredWords, PopEyeOptions};
use gazeprint_io::import::pymovements::{self, FrameOptions};
use gazeprint_io::import::samples::{self, SamplesOptions};
use gazeprint_io::import::swift::{self, Items, SwiftOptions};
use gazeprint_io::import::table::{TableOptions, read, read_trials, read_words};
use gazeprint_io::import::tobii::{self, TobiiOptions};
use gazeprint_io::import::{
    ColumnRole, ImportError, Phrase, RawFixation, RawWord, Reason, Recording, RowPlace, Sink,
    Source, da1, json,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

type Parser = fn(&mut dyn BufRead, &mut dyn Sink) -> Result<(), ImportError>;

/// Every parser, with inputs that it takes.
const PARSERS: [(&str, Parser, &[&[u8]]); 23] = [
    ("table", parse_table, &FIXATIONS),
    ("tables of trackers", parse_vendor_table, &VENDOR_TABLES),
    ("json", parse_json, &JSON),
    ("json of samples", parse_json_samples, &JSON_SAMPLES),
    ("da1", parse_da1, &DA1),
    ("words", parse_words, &WORDS),
    ("text", parse_text, &TEXTS),
    ("trials", parse_trials, &TRIALS),
    ("dataviewer", parse_dataviewer, &REPORTS),
    ("areas", parse_areas, &AREAS),
    ("areas of characters", parse_areas, &CHARACTER_AREAS),
    ("characters", parse_characters, &MAPS),
    ("swift", parse_swift, &SEQUENCES),
    ("items", parse_items, &ITEMS),
    ("pymovements", parse_pymovements, &FRAMES),
    ("tobii", parse_tobii, &EXPORTS),
    ("popeye", parse_popeye, &POP_EYE),
    ("letters", parse_letters, &LETTERS),
    ("asc", parse_asc, &ASC),
    ("samples", parse_samples, &SAMPLES),
    ("counted samples", parse_counted_samples, &COUNTED),
    ("bids", parse_bids, &BIDS),
    ("bids events", parse_bids_events, &BIDS_EVENTS),
];

const FIXATIONS: [&[u8]; 4] = [
    b"reader,text,line,fix_index,x_char,duration_ms,onset_ms,gap\n\
      a,s1,1,1,2.5,200,0,0\na,s1,1,2,9.25,187,230,1\nb,s1,2,1,4,.,NA,0\n",
    b"\xef\xbb\xbf\"RECORDING_SESSION_LABEL\"\tTRIAL_INDEX\tCURRENT_FIX_DURATION\tCURRENT_FIX_X\t\
      CURRENT_FIX_Y\tEYE_USED\r\n\"P1\"\t1\t191\t431,16\t87,5\t\"RIGHT\"\r\nP1\t1\t.\t12,64\t.\tLEFT\r\n",
    b"sep=;\nSubject;Item;x;y;Duration\nJ\xfcrgen;\"a;b\";1,5;20;0,25\nJ\xfcrgen;c;2,5;21;0,3\n",
    b"\xff\xfea\0,\0t\0e\0x\0t\0,\0x\0,\0d\0u\0r\0\n\0r\0,\x001\0,\x002\0,\x003\x000\0\n\0",
];

/// Tables of R, Gazepoint, Pupil Labs, SMI and Tobii Studio.
const VENDOR_TABLES: [&[u8]; 9] = [
    b"\"reader\" \"text\" \"x_char\" \"dur\"\n\"1\" \"a b\" \"t\" 1.5 200\n\"2\" \"a \\\"b\\\"\" \"t\" 2.5 NA\n",
    b"MEDIA_ID,MEDIA_NAME,CNT,FPOGX,FPOGY,FPOGS,FPOGD,FPOGID,FPOGV\n0,p1,1,0.45,0.33,0.5,0.1,2,1\n\
      0,p1,2,0.46,0.34,0.5,0.2,2,1\n0,p1,3,0.5,0.5,0.8,0.05,3,0\n0,p1,4,0.55,0.33,0.9,0.25,4,1\n",
    b"world_timestamp,world_index,fixation_id,start_timestamp,duration,dispersion,norm_pos_x,norm_pos_y,\
      x_scaled,y_scaled,on_surf\n10.1,1,7,10.0,210.5,0.9,0.25,0.75,0.25,0.75,True\n\
      10.2,2,7,10.0,210.5,0.9,0.25,0.75,0.25,0.75,True\n10.4,3,8,10.3,180,0.9,0.5,0.5,0.5,0.5,True\n",
    b"[iView]\n\nSubject:\tP01\nTable Header for Fixations:\n\
      Event Type\tTrial\tNumber\tStart\tEnd\tDuration\tLocation X\tLocation Y\n\n\
      Table Header for Saccades:\nEvent Type\tTrial\tNumber\tStart\tEnd\tDuration\tStart Loc.X\n\n\
      UserEvent\t1\t1\t3382450000000\t# Message: a.jpg\nFixation L\t1\t1\t3382450806427\t\
      3382451006427\t200000\t996.68\t569.56\nSaccade L\t1\t1\t1\t2\t1\t5\t6\t7\n\
      Fixation R\t1\t1\t3382450806427\t3382450965523\t159096\t990\t569\n",
    b"Trial\tStimulus\tParticipant\tEye L/R\tCategory\tEvent Start Trial Time [ms]\t\
      Event End Trial Time [ms]\tFixation Position X [px]\tFixation Position Y [px]\n\
      T1\tp.png\tP1\tRight\tFixation\t10,5\t210,5\t500,1\t300\nT1\tp.png\tP1\tRight\tSaccade\t\
      210,5\t240\t-\t-\n",
    b"System Properties:\nOperating System:\tX\n\nParticipant:\tP13\n\n\
      Timestamp\tStimuliName\tFixationIndex\tFixationDuration\tMappedFixationPointX\t\
      MappedFixationPointY\n0\ta\t1\t200\t512\t300\n17\ta\t1\t200\t512\t300\n33\ta\t\t\t\t\n\
      50\ta\t2\t180\t600\t301\n",
    b"reader text x y start end\na t 500 300 0.1 0.3\na t 520.5 300 0.35 0.6\n",
    b"section id,recording id,fixation id,start timestamp [ns],end timestamp [ns],duration [ms],\
      fixation x [px],fixation y [px]\ns,r1,1,1700000000000000000,1700000000200000000,200,812.5,400\n\
      s,r1,2,1700000000230000000,1700000000440000000,210,0,0\n",
    b"who;what;eye_event;x;y;duration\na;p;fixation;1,812;300;200\na;p;saccade;-1;-1;30\n\
      b;p;fixation;900;300;210\na;q;fixation;910;300;190\na;p;glissade;1;2;9\n",
];

const JSON: [&[u8]; 4] = [
    br#"{"trial_0": {"participant_id": "J", "passage_id": "a", "fixations": {"__FixationSequence__":
        [{"x": 412, "y": 142, "start": 770, "end": 900}, {"x": 1, "y": 2, "start": 3, "end": 4,
        "discarded": true}]}}, "trial_1": {"participant_id": "M", "passage_id": "b", "fixations":
        {"__FixationSequence__": [[368, 146, 7, 197], [431.5, 154, 415, 660]]}}}"#,
    br#"{"reader": ["a", "b"], "text": ["t", "t"], "x_char": [1.5, null], "dur": [200, 210]}"#,
    br#"[{"reader": "a", "text": "t", "x_char": 1.5, "dur": 200}, {"reader": "b", "text": "t"}]"#,
    b"{\"reader\": \"a\", \"text\": \"t\", \"x\": 1.5, \"dur\": 200}\n{\"reader\": \"b\", \"x\": null}\n",
];

const JSON_SAMPLES: [&[u8]; 2] = [
    br#"[{"trial_index": 3, "subject": "a", "webgazer_data": [{"x": 300.1, "y": 200, "t": 0},
        {"x": 300.2, "y": 200.1, "t": 40}, {"x": 300, "y": 200, "t": 80}, {"x": null, "y": null, "t": 120},
        {"x": 420.1, "y": 200, "t": 160}, {"x": 420.2, "y": 200.2, "t": 200}]}, {"rt": 812}]"#,
    br#"[{"time": 0, "x_px": 300.1, "y_px": 200, "valid": true}, {"time": 20, "x_px": 300.2, "y_px": 200,
        "valid": true}, {"time": 40, "x_px": 5, "y_px": 6, "valid": false}]"#,
];

const TEXTS: [&[u8]; 2] = [
    b"=== one\nThe old dog\n\n  sleeps here.\n=== two\nA caf\xc3\xa9 is open\n",
    b"e\xcc\x81t\xc3\xa9 \xe4\xb8\xad\xe6\x96\x87\ttab\r\nnext line\r\n",
];

const DA1: [&[u8]; 1] =
    [b"1 2 3 1900 0 0 0 3 4 0 10 210 -1 -1 215 230 9 1 240 455\n2 1 4 900 0 0 1 0 0 0 5 100\n"];

const CHARACTER_AREAS: [&[u8]; 2] = [
    b"char_idx,char,top_left_x,top_left_y,width,height,line_idx,page,word_idx,word\n\
      0,O,95,100,10,50,0,t,0,On\n1,n,105,100,10,50,0,t,0,On\n2,\" \",115,100,10,50,0,t,0,\n\
      3,i,125,100,10,50,0,t,1,it\n4,t,135,100,10,50,0,t,1,it\n",
    b"page,char,start_x,start_y,end_x,end_y\nt,O,95,100,105,150\nt,n,105,100,115,150\n\
      t, ,115,100,125,150\nt,i,125,100,135,150\nt,t,95,150,105,200\n",
];

const WORDS: [&[u8]; 2] = [
    b"text,line,word_index,word,char_start,char_end\ns1,1,1,Who,0,3\ns1,1,2,\"is, it\",4,6\n",
    b"TRIAL_INDEX;IA_ID;IA_LABEL;IA_LEFT;IA_RIGHT;IA_TOP;IA_BOTTOM\n1;1;Who;10,5;50;0;20\n",
];

const TRIALS: [&[u8]; 1] =
    [b"reader,text,session,trial_order,group\na,s1,1,1,g\na,s2,1,2,\nb,s1,2,.,g\n"];

const ASC: [&[u8]; 3] = [
    b"** DATE: today\nMSG\t999 TRIALID 1\nSTART\t1000 \tLEFT\tRIGHT\tSAMPLES\tEVENTS\nPRESCALER\t1\n\
      EVENTS\tGAZE\tLEFT\tRIGHT\tRATE\t1000.00\tTRACKING\tCR\tFILTER\t2\nSFIX L 1100\n\
      EFIX L 1100 1300 201 10.5 20.0 800\nEFIX R 1102 1301 200 12 . 800\nSBLINK R 1310\n\
      EBLINK R 1310\t1400\t91\nESACC R 1301 1420 120 1 2 3 4 5.0 300\nEFIX R 1421 1500 80 33 20 800\n\
      END\t1600 \tSAMPLES\tEVENTS\tRES\t  30.00\t  30.00\nMSG\t1601 !V TRIAL_VAR item frog\n",
    b"START\t1000 \tLEFT\tSAMPLES\nSAMPLES\tGAZE\tLEFT\tRATE\t 50.00\tTRACKING\tCR\n\
      1000\t200.1\t300.2\t800.0\t...\n1020\t200.3\t300.1\t800.0\t...\n1040\t200.2\t300.0\t800.0\t...\n\
      1060\t200.0\t300.3\t800.0\t...\n1080\t290.0\t300.1\t800.0\t...\n1100\t300.1\t300.2\t800.0\t...\n\
      1120\t300.2\t300.0\t800.0\t...\n1140\t.\t.\t0.0\t...\n1160\t300.2\t300.2\t800.0\t...\n\
      1180\t300.0\t300.1\t800.0\t...\n1200\t300.3\t300.2\t800.0\t...\nEND\t1210 \tSAMPLES\tRES\t30\t30\n",
    b"MSG 9 RECCFG CR 2000 2 1 L\nSTART 1000 LEFT EVENTS\nMSG 10 !CAL\n  1 2\nEFIX L 1100.5 1300.0 200 . . .\n",
];

const COUNTED: [&[u8]; 1] =
    [b"SAMPLE\t X DEGREE\t Y DEGREE\t VALIDITY\n0   -5.72   1.36  1\n1   -5.71   1.35  1\n\
      2   -5.72   1.36  1\n3   -2.10   1.35  0\n4   -2.11   1.36  1\n5  NaN  NaN  0\n"];

const SAMPLES: [&[u8]; 6] = [
    b"who,time,x_left_pix,y_left_pix,validity_left,validity_right\na,0,300.1,200,0,4\na,20,300.2,200,0,4\n\
      a,40,300,200.1,0,4\na,60,300.2,200,0,0\na,80,9,9,4,0\na,100,420.1,200,0,0\n",
    b"gaze_timestamp,confidence,norm_pos_x,norm_pos_y\n0.00,0.98,0.31,0.5\n0.02,0.97,0.32,0.5\n\
      0.04,0.61,0.31,0.51\n0.06,0.2,0.9,0.9\n0.08,,0.31,0.5\n0.10,1,0.62,0.5\n",
    b"subject_id,trial_id,time,x_pix,y_pix\na,1,0,300.1,200\na,1,20,300.2,200\na,1,40,300,200.1\n\
      a,1,60,300.2,200\na,1,80,390,200\na,1,100,420.1,200\na,1,120,420,200.2\na,1,140,420.2,200\n\
      a,1,160,NaN,NaN\na,1,180,420.1,200\na,2,200,420.3,200\na,2,220,420,200.1\n",
    b"n,x,y,val,xT,yT,dP,lab\n1,-5.1,2.0,0,NaN,NaN,2001,1\n2,-5.0,2.1,0,NaN,NaN,2001,1\n\
      3,-5.1,2.0,0,NaN,NaN,2001,1\n4,NaN,NaN,4,NaN,NaN,0,1\n5,-1.0,2.0,0,NaN,NaN,2001,1\n",
    b"time;pixel\n0;[300.1, 200]\n20;[300.2, 200.1]\n40;[300, 200]\n60;\"[301, 200]\"\n80;None\n",
    b"who,eye,time,x_px,y_px,validity\na,L,0,300.1,200,Valid\na,R,0,310.1,200,Valid\n\
      a,L,20,300.2,200,Valid\na,L,40,300,200.1,Valid\na,L,60,0,0,Valid\na,L,80,0,0,Invalid\n\
      b,L,0,420.1,200,Valid\nb,L,20,420.2,200,Valid\nb,L,40,420.3,200,Valid\n",
];

const BIDS_JSON: &str = r#"{"Columns": ["timestamp", "x_coordinate", "y_coordinate"],
    "PhysioType": "eyetrack", "RecordedEye": "left", "SamplingFrequency": 50,
    "SampleCoordinateSystem": "gaze-on-screen", "x_coordinate": {"Units": "pixel"}}"#;

const BIDS_COLUMNS: &str = r#"{"Columns": ["onset", "duration", "trial_type", "blink", "message"],
    "OnsetSource": "timestamp"}"#;

const BIDS: [&[u8]; 1] =
    [b"1000\t300.1\t200\n1020\t300.2\t200\n1040\t300\t200.1\n1060\t300.2\t200\n1080\t390\t200\n\
      1100\t420.1\t200\n1120\t420\t200.2\n1140\t420.2\t200\n1160\tn/a\tn/a\n1180\t420.1\t200\n"];

const BIDS_EVENTS: [&[u8]; 1] =
    [b"990\tn/a\tn/a\tn/a\t\"TRIALID frog\"\n1000\t60\tfixation\t0\tn/a\n\
      1080\t20\tsaccade\t1\tn/a\n1100\t40\tfixation\t0\tn/a\n1160\tn/a\tn/a\tn/a\tTRIALID 2\n"];

fn parse_asc(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    asc::read(input, 0, &AscOptions::new("r"), sink).map(|_| ())
}

fn parse_samples(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let mut options = SamplesOptions::new("S_1001_S1_TEX");
    options.guessed = vec![ColumnRole::Reader, ColumnRole::Text];
    options.gaze.screen_px = Some((1920.0, 1080.0));
    samples::read(input, 0, &options, sink).map(|_| ())
}

/// At a given rate.
fn parse_counted_samples(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let mut options = SamplesOptions::new("ID_001_1");
    options.gaze.rate_hz = Some(50.0);
    samples::read(input, 0, &options, sink).map(|_| ())
}

/// Reads samples with events, whichever are mutated.
fn parse_both(
    samples: &mut dyn BufRead,
    events: &mut dyn BufRead,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let json = |text: &str| Metadata::read(&mut text.as_bytes());
    let path = std::path::Path::new("events");
    let events = EventTable { path, input: events, file: 1, columns: Some(json(BIDS_COLUMNS)?) };
    let side = Side { samples: Some(json(BIDS_JSON)?), events: Some(events), stimulus: None };
    bids::read(samples, 0, &BidsOptions::new("sub-1_task-a_physio.tsv"), side, sink).map(|_| ())
}

fn parse_bids(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let mut events = BIDS_EVENTS[0];
    parse_both(input, &mut events, sink)
}

fn parse_bids_events(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let mut samples = BIDS[0];
    parse_both(&mut samples, input, sink)
}

const REPORTS: [&[u8]; 2] = [
    b"participant_id,TRIAL_INDEX,text_id,CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_DURATION,\
      CURRENT_FIX_INTEREST_AREA_ID,EYE_TRACKED\np1,4,t,115,120,200,1,Right\np1,4,t,150,130,210,2,R\n\
      p1,4,t,.,.,190,.,Right\np2,9,t,100,160,220,2,LEFT\n",
    b"\xef\xbb\xbf\"RECORDING_SESSION_LABEL\"\t\"CURRENT_FIX_DURATION\"\t\"CURRENT_FIX_X\"\t\
      CURRENT_FIX_Y\t\"CURRENT_FIX_INTEREST_AREA_LABEL\"\t\"text_id\"\r\n\
      \"P1\"\t191,5\t12,5\t7\t\"\tt\r\n\"P1\"\t191\t12,5\t7\t\"a\"\tt\r\n",
];

const AREAS: [&[u8]; 2] = [
    b"participant_id,TRIAL_INDEX,text_id,IA_ID,IA_LABEL,IA_LEFT,IA_RIGHT,IA_TOP,IA_BOTTOM\n\
      p1,4,t,0,One,95,135,100,150\np1,4,t,1,\"two,\",135,185,100,150\np1,4,t,2,.,95,115,150,200\n\
      p2,9,t,0,One,95,135,100,150\np2,9,t,1,\"two,\",95,145,150,200\n",
    b"page,word_idx,word,top_left_x,top_left_y,width,height\nt,1,One,95,100,40,50\n\
      t,2,three,135,100,60,50\n",
];

const MAPS: [&[u8]; 1] = [b"speechId,paragraphId,word,characters,char_IA_ids\n\
      7,-1,Ny,\"['N', 'y']\",\"[1, 2]\"\n7,-1,tale,\"['t', 'a', 'l', 'e']\",\"[3, 4, 5, 6]\"\n"];

const SEQUENCES: [&[u8]; 2] = [
    b"1\t1\t1.5\t200\t20\t1\n1\t2\t0.5\t210\t22\t0\n1 4 3.25 190 0 2\r\n3 1 1 99 9 3\n",
    b"1 1 1.5 200 20 1 0 0 1 10\n1 2 0.5 210 22 0 0 0 2 10\n1 4 3.25 190 0 2 0 0 3 10\n",
];

const ITEMS: [&[u8]; 1] = [b"The old dog sleeps.\n\nA  caf\xc3\xa9 is open.\n"];

const FRAMES: [&[u8]; 2] = [
    b"subject_id,text_id,name,onset,offset,duration,location\n\
      1,a,fixation_ivt,100,300,200,\"[512.5, 300.0]\"\n1,a,saccade,300,330,30,\"[0, 0]\"\n\
      1,a,fixation_ivt,330,500,,\"[600.0, null]\"\n",
    b"subject_id;text_id;name;onset;offset;location_x;location_y\n1;a;fixation;0;9;5,5;6\n",
];

const EXPORTS: [&[u8]; 4] = [
    b"ExportDate\tParticipantName\tRecordingName\tMediaName\tRecordingTimestamp\tFixationIndex\t\
      SaccadeIndex\tGazeEventType\tGazeEventDuration\tFixationPointX (MCSpx)\tFixationPointY (MCSpx)\n\
      d\tA\tR\tp\t0\t1\t\tFixation\t60\t500\t300\nd\tA\tR\tp\t17\t1\t\tFixation\t60\t500\t300\n\
      d\tA\tR\tp\t33\t\t1\tSaccade\t17\t\t\nd\tA\tR\tp\t50\t2\t\tFixation\t70\t600\t300\n",
    b"Recording timestamp [ms]\tParticipant name\tRecording name\tPresented Stimulus name\t\
      Eye movement type\tGaze event duration [ms]\tEye movement type index\tFixation point X\t\
      Fixation point Y\tGaze point X\tGaze point Y\n\
      0\tA\tR\tp\tFixation\t60\t1\t500\t300\t500\t300\n4\tA\tR\tp\tFixation\t60\t1\t500\t300\t501\t300\n\
      8\tA\tR\tp\tSaccade\t8\t1\t\t\t550\t300\n12\tA\tR\tp\tFixation\t60\t2\t600\t300\t600\t300\n\
      16\tA\tS\tp\tFixation\t60\t2\t600\t300\t600\t300\n",
    b"Recording timestamp [us]\tParticipant name\tRecording name\tPresented Stimulus name\t\
      Eye movement type\tGaze event duration [ms]\tEye movement type index\t\
      Fixation point X [DACS px]\tFixation point Y [DACS px]\n\
      1000\tAnna\tRec1\tpage 1\tFixation\t200\t1\t512,5\t300\n\
      9000\tAnna\tRec1\tpage 1\tFixation\t200\t1\t512,5\t300\n\
      25000\tAnna\tRec1\tpage 1\tSaccade\t30\t1\t\t\n",
    b"Recording timestamp [us]\tParticipant name\tRecording name\tPresented Stimulus name\t\
      Eye movement type\tEye movement event duration [ms]\tEye movement type index\t\
      Fixation point X [MCS norm]\tFixation point Y [MCS norm]\n\
      1000\tA\tR\tp\tFixation\t200\t1\t0.25\t0.5\n9000\tA\tR\tp\tFixation\t200\t1\t0.25\t0.5\n",
];

const POP_EYE: [&[u8]; 1] = [
    b"subid,trialid,itemid,fixid,start,xn,yn,dur,type,blink,line,line.let,wordnum,word,word.land\n\
      s1,3,7,2,300,208,101,201,in,0,1,9,3,dog,1\ns1,3,7,1,10,110,97,190,in,0,1,2,1,The,2\n\
      s1,3,7,3,520,899,498,180,out,1,NA,NA,NA,NA,NA\ns2,1,7,1,5,180,100,95,in,0,1,8,3,dog,0\n",
];

const LETTERS: [&[u8]; 1] = [b"itemid\tletter\twordnum\tword\tline\tletline\tletword\n\
      7\tA\t1\tAn\t1\t1\t1\n7\tn\t1\tAn\t1\t2\t2\n7\t\" \"\t2\tox\t1\t3\t0\n\
      7\to\t2\tox\t1\t4\t1\n7\tx\t2\tox\t1\t5\t2\n"];

fn parse_dataviewer(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let options = ReportOptions { lines: Method::Warp, ..ReportOptions::new(&[]) };
    let mut areas = Source::new(AREAS[0])?;
    let mut words = Words::Screen(areas::read(&mut areas, 1, &options, None, sink)?.0);
    dataviewer::read(input, 0, &options, &mut words, sink)?;
    words.finish(1, sink)
}

fn parse_areas(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let options = ReportOptions { lines: Method::Slice, ..ReportOptions::new(&[]) };
    let (words, _) = areas::read(input, 1, &options, None, sink)?;
    let (mut words, mut report) = (Words::Screen(words), Source::new(REPORTS[0])?);
    dataviewer::read(&mut report, 0, &options, &mut words, sink)?;
    words.finish(1, sink)
}

fn parse_characters(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let (map, _) = CharacterMap::read(input, 1, &ReportOptions::new(&[]), sink)?;
    Words::Characters(map).finish(1, sink)
}

fn parse_swift(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let items = Items::read(&mut Source::new(ITEMS[0])?)?;
    items.words(1, sink)?;
    let options = SwiftOptions { reader: "r".into(), items: &items };
    swift::read(input, 0, &options, sink).map(|_| ())
}

fn parse_items(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    Items::read(input)?.words(1, sink)
}

fn parse_pymovements(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    pymovements::read(input, 0, &FrameOptions::default(), sink).map(|_| ())
}

fn parse_tobii(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let scale = Scale::pixels_per_degree(30.0, 30.0).ok();
    let screen_px = Some((1920.0, 1080.0));
    let options = TobiiOptions { scale, screen_px, ..TobiiOptions::default() };
    tobii::read(input, 0, &options, sink).map(|_| ())
}

fn parse_popeye(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let mut words = GatheredWords::default();
    popeye::read(input, 0, &PopEyeOptions::default(), Some(&mut words), sink)?;
    words.finish(sink)
}

fn parse_letters(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    popeye::read_words(input, 1, &PopEyeOptions::default(), sink).map(|_| ())
}

fn parse_table(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    read(input, 0, &TableOptions::default(), sink).map(|_| ())
}

/// As files are read whose names say who reads what, and whose screen is known.
fn parse_vendor_table(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let options = TableOptions {
        reader: Some("r".into()),
        page: Some("1".into()),
        guessed: vec![ColumnRole::Reader, ColumnRole::Text],
        screen_px: Some((1920.0, 1080.0)),
        ..TableOptions::default()
    };
    read(input, 0, &options, sink).map(|_| ())
}

fn parse_json(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let table = json::table(input)?;
    parse_vendor_table(&mut Source::new(table.text.as_bytes())?, sink)
}

fn parse_json_samples(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let table = json::table(input)?;
    parse_samples(&mut Source::new(table.text.as_bytes())?, sink)
}

fn parse_text(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let vertical = Some(Vertical { line_height: 50.0, top: 100.0 });
    let display = Display { font_width: 12.0, left: 50.0, vertical };
    let layouts = monospaced::read(input, "t", &display)?;
    layouts.iter().try_for_each(|layout| layout.words(1, sink))
}

fn parse_da1(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    da1::read(input, 0, &"r".into(), sink).map(|_| ())
}

fn parse_words(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    read_words(input, 0, &TableOptions::default(), sink).map(|_| ())
}

fn parse_trials(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    read_trials(input, 0, &TableOptions::default(), sink, &mut |_, _| ()).map(|_| ())
}

/// A change to an input; places are parts of its length.
#[derive(Debug, Clone)]
enum Mutation {
    Flip {
        at: f64,
        bits: u8,
    },
    Cut {
        at: f64,
        length: usize,
    },
    End {
        at: f64,
    },
    Repeat {
        at: f64,
        length: usize,
        times: usize,
    },
    Insert {
        at: f64,
        what: &'static [u8],
    },
    /// In the place of as many bytes: formats with offsets are not read far once these are off.
    Put {
        at: f64,
        what: &'static [u8],
    },
}

/// What parsers stumble over.
const STUMBLES: [&[u8]; 22] = [
    b",",
    b"\t",
    b";",
    b"|",
    b"\"",
    b"\"\"",
    b"\0",
    b"\n",
    b"\r",
    b"\r\n",
    b"\xff",
    b"\xef\xbb\xbf",
    b"1e309",
    b"-1e308",
    b"99999999999999999999999999",
    b"-",
    b"NaN",
    b"inf",
    b".",
    b"\xf0\x9f\x98\x80",
    b"\xff\xff\xff\x7f",
    b"\xff\xff\xff\xff\x0f",
];

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = 0.0..1.0;
    prop_oneof![
        (at.clone(), 1_u8..).prop_map(|(at, bits)| Mutation::Flip { at, bits }),
        (at.clone(), 1_usize..40).prop_map(|(at, length)| Mutation::Cut { at, length }),
        at.clone().prop_map(|at| Mutation::End { at }),
        (at.clone(), 1_usize..60, 1_usize..40).prop_map(|(at, length, times)| Mutation::Repeat {
            at,
            length,
            times
        }),
        (at.clone(), 0..STUMBLES.len())
            .prop_map(|(at, i)| Mutation::Insert { at, what: STUMBLES[i] }),
        (at, 0..STUMBLES.len()).prop_map(|(at, i)| Mutation::Put { at, what: STUMBLES[i] }),
    ]
}

fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation) {
    let place = |at: f64| (at * bytes.len() as f64) as usize;
    match *mutation {
        Mutation::Flip { at, bits } => {
            let place = place(at);
            if let Some(byte) = bytes.get_mut(place) {
                *byte ^= bits;
            }
        }
        Mutation::Cut { at, length } => {
            let start = place(at);
            bytes.drain(start..(start + length).min(bytes.len()));
        }
        Mutation::End { at } => bytes.truncate(place(at)),
        Mutation::Repeat { at, length, times } => {
            let start = place(at);
            let part = bytes[start..(start + length).min(bytes.len())].repeat(times);
            bytes.splice(start..start, part);
        }
        Mutation::Insert { at, what } => {
            let start = place(at);
            bytes.splice(start..start, what.iter().copied());
        }
        Mutation::Put { at, what } => {
            let start = place(at);
            let end = (start + what.len()).min(bytes.len());
            bytes[start..end].copy_from_slice(&what[..end - start]);
        }
    }
}

/// Checks that what comes in has a place.
#[derive(Default)]
struct Checked {
    recording: Recording,
}

impl Sink for Checked {
    fn fixation(&mut self, place: RowPlace, fixation: RawFixation) -> Result<(), ImportError> {
        assert!(place.row > 0, "a fixation without a row");
        assert!(fixation.duration_ms.is_none_or(|d| d.is_finite() && d >= 0.0));
        assert!(fixation.onset_ms.is_none_or(f64::is_finite));
        self.recording.fixation(place, fixation)
    }

    fn word(&mut self, place: RowPlace, word: RawWord) -> Result<(), ImportError> {
        assert!(place.row > 0, "a word without a row");
        self.recording.word(place, word)
    }

    fn dropped(&mut self, place: RowPlace, reason: Reason, example: &str) {
        assert!(place.row > 0, "a dropped row without a number");
        self.recording.dropped(place, reason, example);
    }

    fn note(&mut self, note: String) {
        self.recording.note(note);
    }

    fn warn(&mut self, warning: Phrase) {
        self.recording.warn(warning);
    }
}

/// Parses, and builds what was found.
fn check(parser: Parser, bytes: &[u8]) -> Result<(), ImportError> {
    let mut sink = Checked::default();
    let mut source = Source::new(bytes)?;
    parser(&mut source, &mut sink)?;
    if !sink.recording.readings.is_empty() {
        sink.recording.finish("fuzz", &[], 0)?;
    }
    Ok(())
}

fn cases() -> u32 {
    std::env::var("GAZEPRINT_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000)
}

#[test]
fn seeds_are_small_and_taken() {
    for (name, parser, seeds) in PARSERS {
        for (i, seed) in seeds.iter().enumerate() {
            assert!(seed.len() <= 2048, "seed {i} of {name} has {} bytes", seed.len());
            // The seed in UTF-16 lacks a reader, so that its refusal is mutated as well.
            let may_fail = seed.starts_with(&[0xff, 0xfe]);
            let result = check(parser, seed);
            assert!(result.is_ok() || may_fail, "seed {i} of {name}: {}", result.unwrap_err());
        }
    }
}

#[test]
fn mutated_inputs_are_taken_or_refused_with_a_place() {
    let asked = std::env::var("GAZEPRINT_FUZZ_PARSER").ok();
    for (name, parser, seeds) in PARSERS {
        if asked.as_deref().is_none_or(|asked| asked == name) {
            try_mutated(name, parser, seeds);
        }
    }
}

fn try_mutated(name: &str, parser: Parser, seeds: &[&[u8]]) {
    let config = Config { cases: cases(), failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let strategy = (0..seeds.len(), vec(mutation(), 1..6));
    let tried = TestRunner::new_with_rng(config, rng).run(&strategy, |(seed, mutations)| {
        let mut bytes = seeds[seed].to_vec();
        mutations.iter().for_each(|mutation| mutate(&mut bytes, mutation));
        let begun = Instant::now();
        let result = check(parser, &bytes);
        prop_assert!(begun.elapsed() < Duration::from_secs(10), "{name} takes too long");
        if let Err(error) = result {
            prop_assert!(error.at().is_some(), "{name}: no place: {error}");
            prop_assert!(
                error.to_string().contains("row")
                    || matches!(error, ImportError::Empty { .. } | ImportError::Unreadable { .. }),
                "{name}: no row: {error}"
            );
        }
        Ok(())
    });
    if let Err(error) = tried {
        panic!("{name}: {error}");
    }
}

#[cfg(feature = "columnar")]
#[path = "import_fuzz/columnar.rs"]
mod columnar;
