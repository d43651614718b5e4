//! Pairing rows with columns at the least total cost. Bounded: the caller bounds rows and columns.

/// The column for each row (at most one row a column) so that the sum of costs is least; with fewer columns than rows
/// the rows that cost most stay alone.
///
/// The Hungarian algorithm in its O(n²m) form with potentials and shortest augmenting paths (H. W. Kuhn, 1955;
/// J. Munkres, 1957; the form of R. Jonker and A. Volgenant, 1987).
pub(super) fn optimal(costs: &[Vec<u64>], columns: usize) -> Vec<Option<usize>> {
    let rows = costs.len();
    let mut solver = Solver::new(costs, columns.max(rows));
    for row in 1..=rows {
        solver.add(row);
    }
    let mut pairs = vec![None; rows];
    for (column, row) in solver.owner.iter().enumerate().skip(1).take(columns) {
        if let Some(pair) = row.checked_sub(1).and_then(|row| pairs.get_mut(row)) {
            *pair = Some(column - 1);
        }
    }
    pairs
}

/// Rows and columns count from 1; 0 stands for nobody and for where a path begins.
struct Solver<'a> {
    costs: &'a [Vec<u64>],
    /// What a row without a real column costs: more than any real pairing could save.
    alone: i64,
    row_potential: Vec<i64>,
    column_potential: Vec<i64>,
    /// The row that holds each column.
    owner: Vec<usize>,
}

impl<'a> Solver<'a> {
    fn new(costs: &'a [Vec<u64>], width: usize) -> Self {
        Self {
            costs,
            alone: 1 + costs.iter().flatten().map(|cost| clip(*cost)).max().unwrap_or(0),
            row_potential: vec![0; costs.len() + 1],
            column_potential: vec![0; width + 1],
            owner: vec![0; width + 1],
        }
    }

    fn reduced(&self, row: usize, column: usize) -> i64 {
        let cost =
            self.costs.get(row - 1).and_then(|costs| costs.get(column - 1)).map_or(self.alone, |cost| clip(*cost));
        cost - self.row_potential[row] - self.column_potential[column]
    }

    /// Takes one more row in, along the cheapest path to a free column.
    fn add(&mut self, row: usize) {
        let width = self.owner.len();
        let (mut least, mut came_from, mut seen) = (vec![i64::MAX; width], vec![0; width], vec![false; width]);
        self.owner[0] = row;
        let mut column = 0;
        while self.owner[column] != 0 {
            seen[column] = true;
            let (mut step, mut next) = (i64::MAX, 0);
            for candidate in (1..width).filter(|candidate| !seen[*candidate]) {
                let reduced = self.reduced(self.owner[column], candidate);
                if reduced < least[candidate] {
                    (least[candidate], came_from[candidate]) = (reduced, column);
                }
                if least[candidate] < step {
                    (step, next) = (least[candidate], candidate);
                }
            }
            self.shift(step, &seen, &mut least);
            column = next;
        }
        while column != 0 {
            self.owner[column] = self.owner[came_from[column]];
            column = came_from[column];
        }
    }

    fn shift(&mut self, step: i64, seen: &[bool], least: &mut [i64]) {
        for (at, seen) in seen.iter().enumerate() {
            if *seen {
                self.row_potential[self.owner[at]] += step;
                self.column_potential[at] -= step;
            } else if least[at] != i64::MAX {
                least[at] -= step;
            }
        }
    }
}

fn clip(cost: u64) -> i64 {
    i64::try_from(cost.min(1 << 40)).unwrap_or(1 << 40)
}

/// The column for each row when the order counts: each row's own place.
pub(super) fn in_order(costs: &[Vec<u64>], columns: usize) -> Vec<Option<usize>> {
    (0..costs.len()).map(|row| Some(row).filter(|row| *row < columns)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn total(costs: &[Vec<u64>], pairs: &[Option<usize>]) -> (usize, u64) {
        let paired: Vec<_> = pairs.iter().enumerate().filter_map(|(row, column)| Some((row, (*column)?))).collect();
        (paired.len(), paired.iter().map(|(row, column)| costs[*row][*column]).sum())
    }

    /// Every way to pair, by brute force: most pairs first, then the least sum.
    fn best(costs: &[Vec<u64>], columns: usize, row: usize, used: &mut Vec<bool>) -> (usize, u64) {
        if row == costs.len() {
            return (0, 0);
        }
        let mut found = best(costs, columns, row + 1, used);
        for column in 0..columns {
            if !used[column] {
                used[column] = true;
                let (count, sum) = best(costs, columns, row + 1, used);
                used[column] = false;
                let (count, sum) = (count + 1, sum + costs[row][column]);
                if count > found.0 || (count == found.0 && sum < found.1) {
                    found = (count, sum);
                }
            }
        }
        found
    }

    proptest! {
        #[test]
        fn no_pairing_is_better(
            (columns, costs) in (0_usize..5, 0_usize..5).prop_flat_map(|(columns, rows)| {
                (Just(columns), prop::collection::vec(prop::collection::vec(0_u64..20, columns), rows))
            }),
        ) {
            let pairs = optimal(&costs, columns);
            let mut columns_used: Vec<_> = pairs.iter().flatten().collect();
            columns_used.sort();
            columns_used.dedup();
            prop_assert_eq!(columns_used.len(), pairs.iter().flatten().count());
            prop_assert_eq!(total(&costs, &pairs), best(&costs, columns, 0, &mut vec![false; columns]));
        }
    }

    #[test]
    fn greedy_would_fail_here() {
        // The first row fits both columns, the second only the first.
        assert_eq!(optimal(&[vec![0, 0], vec![0, 1]], 2), [Some(1), Some(0)]);
    }
}
