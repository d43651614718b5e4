//! JUnit XML for CI. Wrong answers are failures; what was not answered is an error or skipped, as in the table.

use std::io::{self, Write};

use monban_scorers::Outcome;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::Input;
use super::escape::terminal;
use super::figures;

/// Writes the report: one test case a task, its status the worst of its attempts.
pub(super) fn write(input: &Input<'_>, out: &mut dyn Write) -> io::Result<()> {
    let record = input.record;
    let mut report = Report::new(terminal(&record.start.run_id));
    for (index, suite) in record.start.suites.iter().enumerate() {
        let mut cases = TestSuite::new(terminal(&suite.name));
        for (at, task) in record.start.tasks.iter().enumerate().filter(|(_, task)| task.suite == index) {
            let mut case = TestCase::new(terminal(&task.id), status(input, at));
            case.set_classname(terminal(&suite.name));
            if let Some(us) = record.tasks.get(at).and_then(|task| task.latency_us.percentile(50.0)) {
                case.set_time(std::time::Duration::from_micros(us as u64));
            }
            cases.add_test_case(case);
        }
        report.add_test_suite(cases);
    }
    let text = report.to_string().map_err(io::Error::other)?;
    out.write_all(text.as_bytes())
}

fn status(input: &Input<'_>, at: usize) -> TestCaseStatus {
    let Some(task) = input.record.tasks.get(at) else { return TestCaseStatus::skipped() };
    let worst = figures::outcomes(&task.counts).into_iter().find(|(.., count)| *count > 0);
    let Some((outcome, name, _)) = worst else { return TestCaseStatus::skipped() };
    let mut status = match outcome {
        Outcome::Passed => return TestCaseStatus::success(),
        Outcome::Skipped => return TestCaseStatus::skipped(),
        Outcome::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        _ => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    status.set_type(name);
    status.set_message(terminal(&task.why));
    status
}
