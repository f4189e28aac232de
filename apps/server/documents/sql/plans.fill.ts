// Fills a database for the plans of lists and queues: of everything that grows some 25,000 rows, the same in each run.
// ANALYZE reads a table of up to 30,000 rows whole, so that its figures, and with them the plans, are always the same.
// The counters of history alone have more, and their plans were the same in each run.
import { foldDeltas, recountLevels } from '../../src/domain/history/counters.ts'
import type { OpenDatabase } from '../../src/platform/database/database.ts'

const rowCount = 25_000
/** Tasks, batches and advertisements: each has an equal share of the rows. */
const ownerCount = 500

/** Of `n` from 0. */
const rows = (count = rowCount) => `generate_series(0, ${count} - 1) AS n`
/** The id of one row of a table after the other, by `n`. Its subqueries run once, since they name no row. */
const nth = (table: string, { by = 'n', id = 'id' } = {}) =>
  `(ARRAY(SELECT ${id} FROM ${table} ORDER BY 1))[1 + (${by}) % (SELECT count(*)::int FROM ${table})]`
/** One row in twenty has something to do, now or later. */
const dueAt = `CASE WHEN n % 20 = 0 THEN now() + (n - ${rowCount / 2}) * interval '1 second' END`
const uuid = (kind: string) => `md5('${kind}' || n)::uuid`
const before = `now() - n * interval '1 minute'`

/** One after the other: each names rows of those before it. */
const statements = [
  `INSERT INTO organization (parent_id, name, code) SELECT 1, 'o' || n, 'O' || n FROM ${rows(20)}`,
  `INSERT INTO operator (organization_id, name, code) SELECT ${nth('organization')}, 'p' || n, 'P' || n FROM ${rows(60)}`,
  `INSERT INTO app_user (organization_id, user_name, login_name, password_hash)
   SELECT ${nth('organization')}, 'n' || n, 'n' || n, '' FROM ${rows()}`,
  `INSERT INTO user_session (token_hash, user_id, expires_at, address)
   SELECT sha256(n::text::bytea), ${nth('app_user')}, now() + interval '8 hours', '::1' FROM ${rows(2000)}`,
  `INSERT INTO operation_log (at, user_id, address, request_id, call, summary, result_code)
   SELECT now() - n * interval '20 minutes', 1, '::1', '', '/x', 'x', 200 FROM ${rows()}`,
  `INSERT INTO dictionary_entry (type, code, name, alarm_level)
   SELECT type, 'B' || n, 'b' || n, CASE type WHEN 'ALARM' THEN 1 + n % 4 END
   FROM ${rows(200)}, (VALUES ('ALARM'), ('EVENT')) AS t (type)`,
  `INSERT INTO device (code, name, operator_id, model_id, region_id, business_status, secret_hash)
   SELECT 'N' || to_char(n, 'FM00000'), 'n' || n, ${nth('operator')}, ${nth('equip_model')}, ${nth('region', { by: 'n * 7' })},
     1, '' FROM ${rows()}`,
  `INSERT INTO device_state (device_id, is_online, online_changed_at)
   SELECT id, id % 10 <> 0, now() - id * interval '1 minute' FROM device ORDER BY id`,
  `INSERT INTO device_parameter (device_id, parameter_id, value, reported_at)
   SELECT id, 'p1', (id % 7)::text, now() FROM device ORDER BY id`,
  `INSERT INTO device_version (device_id, part_type, addr_id, version, pcb_code, reported_at)
   SELECT id, ${nth('part_type', { by: 'device.id', id: 'code' })}, '1', '1.' || id % 5, 'PCB' || id % 20, now()
   FROM device ORDER BY id`,
  `INSERT INTO alarm_state (device_id, semaphore_code, value, is_active, occurred_at, reported_at, episode_id, operator_id,
     model_id, region_id)
   SELECT id, 'B' || id % 200, 1, id % 5 = 0, now() - id * interval '20 minutes', now(), id, operator_id, model_id, region_id
   FROM device ORDER BY id`,
  `INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value,
     value)
   SELECT episode_id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, 1, 1
   FROM alarm_state ORDER BY device_id`,
  `INSERT INTO event_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, value,
     is_fault)
   SELECT episode_id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, 1, false
   FROM alarm_state ORDER BY device_id`,
  `INSERT INTO history_delta
   SELECT kind, occurred_at::date, operator_id, model_id, region_id, semaphore_code, count(*)
   FROM alarm_state, (VALUES (1), (2)) AS source (kind) GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6`,
  `INSERT INTO battery_stay (device_id, compartment, battery_code, started_at, seen_at, ended_at)
   SELECT ${nth('device')}, 1 + n % 12, 'BAT' || n % 5000, ${before}, ${before} + interval '1 minute',
     CASE WHEN n >= 5000 THEN ${before} + interval '1 minute' END FROM ${rows()}`,
  `INSERT INTO battery (code, device_id, compartment, started_at, claims, state, found_by)
   SELECT battery_code, device_id, compartment, started_at, 1, 'charging', device_id
   FROM battery_stay WHERE ended_at IS NULL ORDER BY battery_code`,
  `INSERT INTO device_stock (device_id, full_count, charging_count, idle_count, empty_count, faulty_count, disabled_count)
   SELECT id, id % 7, 1, 0, 12 - id % 7, 0, 0 FROM device ORDER BY id`,
  `INSERT INTO alarm_handling (episode_id, occurred_at, device_id, version, acked_at, acked_by_name, seen_value, seen_level,
     lasts_until)
   SELECT id, occurred_at, device_id, 1, now(), 'a', 1, 1, now() + interval '4 hours' FROM alarm_history
   WHERE id % 10 = 0 ORDER BY id`,
  `INSERT INTO alarm_handling_action (episode_id, device_id, user_id, user_name, source, address, kind, before, after)
   SELECT episode_id, device_id, 1, 'a', 'web', '::1', 'ack', '{}', '{}' FROM alarm_handling ORDER BY episode_id`,
  `INSERT INTO alarm_repeat (first_episode_id, device_id, semaphore_code, first_at, last_episode_id, last_at, occurrences,
     seen, recent, chatter)
   SELECT episode_id, device_id, semaphore_code, occurred_at, episode_id, occurred_at, 2 + device_id % 12, '{1}',
     ARRAY[occurred_at], CASE WHEN device_id % 3 = 0 THEN 'chattering' END
   FROM alarm_state ORDER BY episode_id`,
  `INSERT INTO alarm_cause (kind, device_id, began_at, last_at, ended_at)
   SELECT 'cabinet', device_id, occurred_at, occurred_at, CASE WHEN device_id % 50 <> 0 THEN now() END
   FROM alarm_state WHERE device_id % 5 = 0 ORDER BY device_id`,
  `INSERT INTO alarm_cause_member (cause_id, device_id, episode_id, at, is_open)
   SELECT c.id, c.device_id, s.episode_id, c.began_at, c.ended_at IS NULL
   FROM alarm_cause c JOIN alarm_state s ON s.device_id = c.device_id ORDER BY c.id`,
  `INSERT INTO remote_action (device_id, action, purpose, state, command_id, created_by, created_by_name, address, created_at, next_at)
   SELECT ${nth('device')}, 'restart', 'x',
     CASE WHEN n % 20 = 0 THEN 'acknowledged' ELSE 'confirmed' END, ${uuid('command')}, 1, 'a', '::1', ${before}, ${dueAt}
   FROM ${rows()}`,
  `INSERT INTO approval (kind, state, function_code, payload, same_as, subject, details, causes, device_count,
     organization_id, created_by, created_by_name, address, created_at, expires_at, next_at)
   SELECT 'upgrade', CASE WHEN n % 20 = 0 THEN 'waiting' ELSE 'expired' END, 'x', '{}', n::text, 'x', '[]', '{}', 1,
     ${nth('organization')}, 2, 'a', '::1', ${before}, now(), ${dueAt} FROM ${rows()}`,
  `INSERT INTO notify_channel (organization_id, kind, name, address, address_hint, decided_by, decided_by_name,
     next_at)
   SELECT ${nth('organization')}, 'webhook', 'c' || n, '', '', 1, 'a', ${dueAt} FROM ${rows(ownerCount)}`,
  `INSERT INTO notify_rule (organization_id, name, events, alarm_levels, filter, group_wait_s, decided_by, decided_by_name)
   SELECT ${nth('organization')}, 'r' || n, '{raised}', '{1,2}', '{}', 30, 1, 'a' FROM ${rows(ownerCount)}`,
  `INSERT INTO notify_rule_target (rule_id, step, channel_id) SELECT id, 0, id FROM notify_rule ORDER BY id`,
  `INSERT INTO notify_delivery (channel_id, channel_name, kind, rule_names, decided_by, decided_in, state, title, message,
     alarm_count, attempts, created_at)
   SELECT ${nth('notify_channel')}, 'c', 'webhook', '{r}', '{1}', '{1}', 'delivered', 'x', '{}', 1, 1, ${before}
   FROM ${rows()}`,
  `INSERT INTO notify_item (rule_id, channel_id, subject_id, event, what, device_id, device_code, place, at, due_at, is_open,
     delivery_id)
   SELECT c.id, c.id, n + 1, 'raised', 'x', ${nth('device')}, 'N', 'x', ${before}, ${before}, n % 20 = 0,
     CASE WHEN n % 20 <> 0 THEN d.id END
   FROM ${rows()} JOIN notify_channel c ON c.id = ${nth('notify_channel')} JOIN notify_delivery d ON d.id = n + 1`,
  `INSERT INTO alarm_recovery (user_id, note, episode_ids, total, next_at)
   SELECT 1, '', '{}', 0, ${dueAt} FROM ${rows(ownerCount)}`,
  `INSERT INTO intake_refusal (device_code, device_id, reason)
   SELECT code, id, 'badPayload' FROM device ORDER BY id`,
  `INSERT INTO device_command (id, device_id, device_code, topic, body, max_attempts, interval_ms, deadline, state, result,
     finished_at, next_at)
   SELECT ${uuid('command')}, ${nth('device')}, 'N', 'x', '{}', 3, 1000, now() + interval '1 hour',
     CASE WHEN n % 20 = 0 THEN 'waiting' ELSE 'finished' END, CASE WHEN n % 20 <> 0 THEN 'answered' END,
     CASE WHEN n % 20 <> 0 THEN now() END, ${dueAt} FROM ${rows()}`,
  `INSERT INTO stored_file (id, name, size_bytes, md5, sha1, sha256, content_type)
   SELECT ${uuid('file')}, 'f' || n, 1000, '', '', '', 'application/zip' FROM ${rows(ownerCount)}`,
  `INSERT INTO pcb_board (pcb_code, pcb_name, part_type, equip_type_id, version)
   SELECT 'PCB' || n, 'b' || n, ${nth('part_type', { id: 'code' })}, ${nth('equip_type')}, 1 FROM ${rows(20)}`,
  `INSERT INTO pcb_board_model SELECT b.id, m.id FROM pcb_board b JOIN equip_model m USING (equip_type_id)
   ORDER BY b.id, m.id`,
  `INSERT INTO hw_version (equip_model_id, part_type, name, code)
   SELECT ${nth('equip_model')}, ${nth('part_type', { id: 'code' })}, 'h' || n, 'H' || n FROM ${rows(200)}`,
  `INSERT INTO software_package (file_id, file_name, pcb_board_id, part_type, major, minor, is_release, remark, created_by,
     created_by_name, file_by, file_by_name, file_at)
   SELECT ${uuid('file')}, 'f' || n, b.id, b.part_type, 1, n, true, '{}', 1, 'a', 1, 'a', now()
   FROM ${rows(ownerCount)} JOIN pcb_board b ON b.id = ${nth('pcb_board')}`,
  `INSERT INTO upgrade_task (type, state, upgrade_at, rule, devices, equip_type_id, created_by, created_by_name,
     organization_id, created_at, started_at, stage, target_count, next_at)
   SELECT 'SCHEDULE', CASE WHEN n % 20 = 0 THEN 'running' ELSE 'finished' END, ${before}, '{}', '{}', ${nth('equip_type')},
     1, 'a', 1, ${before}, ${before}, 1, ${rowCount / ownerCount}, ${dueAt} FROM ${rows(ownerCount)}`,
  `INSERT INTO upgrade_task_package (task_id, position, package_id, file_id, file_name, file_by, file_by_name)
   SELECT ${nth('upgrade_task')}, 1, ${nth('software_package')}, ${uuid('file')}, 'f' || n, 1, 'a' FROM ${rows(ownerCount)}`,
  `INSERT INTO upgrade_stage (task_id, number, state, device_count, soak_minutes)
   SELECT id, 1, CASE state WHEN 'running' THEN state ELSE 'passed' END, target_count, 0 FROM upgrade_task ORDER BY id`,
  `INSERT INTO upgrade_target (task_id, device_id, part_type, package_id, position, stage, rank, state, from_versions,
     command_id, next_at)
   SELECT ${nth('upgrade_task')}, ${nth('device')}, p.part_type, p.id, 1, 1, n / ${ownerCount},
     CASE WHEN n % 20 = 0 THEN 'waiting' ELSE 'succeeded' END, '{}', ${uuid('command')}, ${dueAt}
   FROM ${rows()} JOIN software_package p ON p.id = ${nth('software_package')}`,
  `INSERT INTO upgrade_tally (task_id, stage, state, operator_id, model_id, region_id, count)
   SELECT t.task_id, t.stage, t.state, d.operator_id, d.model_id, d.region_id, count(*)
   FROM upgrade_target t JOIN device d ON d.id = t.device_id GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6`,
  `INSERT INTO upgrade_transition (task_id, target_id, at, to_state, cause)
   SELECT task_id, id, ${before.replace('n *', 'rank *')}, state, 'reported' FROM upgrade_target ORDER BY id`,
  `INSERT INTO parameter_batch (code, kind, state, wanted, devices, max_attempts, interval_minutes, ends_at, created_by,
     created_by_name, organization_id, created_at, target_count, next_at)
   SELECT 'b' || n, 'set', CASE WHEN n % 20 = 0 THEN 'running' ELSE 'finished' END, '{"p1": "1"}', '{}', 3, 10, now(), 1,
     'a', 1, ${before}, ${rowCount / ownerCount}, ${dueAt} FROM ${rows(ownerCount)}`,
  `INSERT INTO parameter_target (batch_id, device_id, state, former, command_id, next_at)
   SELECT ${nth('parameter_batch')}, ${nth('device')}, CASE WHEN n % 20 = 0 THEN 'waiting' ELSE 'succeeded' END, '{}',
     ${uuid('command')}, ${dueAt} FROM ${rows()}`,
  `INSERT INTO parameter_attempt (batch_id, target_id, number, command_id, result, ended_at)
   SELECT batch_id, id, 1, command_id, 'succeeded', now() FROM parameter_target ORDER BY id`,
  `INSERT INTO advertisement (name, file_id, file_name, starts_at, ends_at, cabinets, created_by, created_by_name,
     organization_id, created_at, next_at)
   SELECT 'a' || n, ${uuid('file')}, 'f' || n, ${before}, now() + interval '1 day', '{}', 1, 'a', 1, ${before}, ${dueAt}
   FROM ${rows(ownerCount)}`,
  `INSERT INTO advertisement_delivery (advertisement_id, device_id, state, command_id, next_at)
   SELECT ${nth('advertisement')}, ${nth('device')}, CASE WHEN n % 20 = 0 THEN 'waiting' ELSE 'shown' END,
     ${uuid('command')}, ${dueAt} FROM ${rows()}`,
  `INSERT INTO log_extraction (device_id, equip_classify, level, level_name, file_type, from_at, to_at, state, deadline,
     ends_at, created_by, created_by_name, created_at, next_at)
   SELECT ${nth('device')}, 'x', 'x', 'x', 'txt', now() - interval '1 day', now(),
     CASE WHEN n % 20 = 0 THEN 'waiting' ELSE 'done' END, now(), now(), 1, 'a', ${before}, ${dueAt} FROM ${rows()}`,
]

export async function fill({ db, pool }: OpenDatabase): Promise<void> {
  for (const statement of statements) {
    try {
      await pool.query(statement)
    } catch (error) {
      throw new Error(`${(error as Error).message}: ${statement}`)
    }
  }
  // As after the jobs of a night: the counters have the history, and few deltas wait.
  await recountLevels(db)
  while ((await foldDeltas(db)) > 0);
}
