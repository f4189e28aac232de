// A pooler that lends a session for each transaction: settings, LISTEN, advisory locks and prepared statements would be
// those of whoever comes next. It is refused at the start, and not found by what goes wrong later.
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { spoken } from '../../process/sentences.ts'
import { StartupError } from '../../process/startup-error.ts'

/** A pooler may lend its sessions in turn. */
const looks = 8
const setting = 'voltkeep.session'

/** Throws a StartupError where what one connection of the pool sets is seen by another one, or is gone. */
export async function refuseTransactionPooler(pool: pg.Pool, name: string): Promise<void> {
  if ((pool.options.max ?? 0) < 2) return
  const connections = [await pool.connect(), await pool.connect()] as const
  let failure: Error | undefined
  try {
    const token = randomUUID()
    const [first, second] = connections
    await first.query('SELECT set_config($1, $2, false)', [setting, token])
    const seen = async (connection: pg.ClientBase) => {
      const { rows } = await connection.query<{ value: string | null }>(
        'SELECT current_setting($1, true) AS value',
        [setting],
      )
      return rows[0]?.value === token
    }
    for (let look = 0; look < looks; look += 1) {
      if ((await seen(second)) || !(await seen(first))) throw new StartupError(refusal(name))
    }
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    // Of a pooler's session nobody should find the setting.
    for (const connection of connections) connection.release(failure)
  }
}

const refusal = (name: string) =>
  spoken({
    zh:
      `${name} 指向以事务方式（pool_mode = transaction 或 statement）工作的连接池：LISTEN、咨询锁、会话设置和预备语句` +
      '在其中不起作用。请改为 pool_mode = session，或直接连接 PostgreSQL。',
    en:
      `${name} leads to a pooler that lends a session for each transaction (pool_mode = transaction or statement): LISTEN, ` +
      'advisory locks, settings of a session and prepared statements do not work there. Set pool_mode = session, or connect ' +
      'to PostgreSQL itself.',
  })
