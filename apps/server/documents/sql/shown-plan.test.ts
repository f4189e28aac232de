import { expect, test } from 'vitest'
import { shownPlan } from './shown-plan.ts'

test('a plan is shown without values, months and numbers of aliases', () => {
  const lines = [
    'Index Scan using alarm_history_2026_11_pkey on alarm_history_2026_11 h_12',
    "  Index Cond: ((occurred_at >= '2026-11-01 00:00:00+08'::timestamp with time zone) AND (id = 4711))",
    "  Filter: ((operator_id = ANY ('{1,2}'::integer[])) AND (h_12.kind = 1))",
  ]
  expect(shownPlan(lines)).toBe(
    [
      'Index Scan using alarm_history_…_pkey on alarm_history_… h_n',
      "  Index Cond: ((occurred_at >= '…'::timestamp with time zone) AND (id = …))",
      "  Filter: ((operator_id = ANY ('…'::integer[])) AND (h_n.kind = 1))",
    ].join('\n'),
  )
})

test('partitions that are read alike are shown once, others and what follows are kept', () => {
  const lines = [
    'Nested Loop',
    '  ->  Append',
    '        ->  Seq Scan on event_history_2026_09 h_1',
    '              Filter: (id = 1)',
    '        ->  Index Scan using event_history_2026_10_pkey on event_history_2026_10 h_2',
    '              Index Cond: (id = 1)',
    '        ->  Seq Scan on event_history_2026_11 h_3',
    '              Filter: (id = 1)',
    '  ->  Seq Scan on device',
    '  ->  Seq Scan on device',
  ]
  expect(shownPlan(lines).split('\n')).toEqual([
    'Nested Loop',
    '  ->  Append',
    '        ->  Seq Scan on event_history_… h_n',
    '              Filter: (id = 1)',
    '        ->  Index Scan using event_history_…_pkey on event_history_… h_n',
    '              Index Cond: (id = 1)',
    '  ->  Seq Scan on device',
    '  ->  Seq Scan on device',
  ])
})
