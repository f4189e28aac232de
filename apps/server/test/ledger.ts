// Keeps book of alarms that the server has acknowledged, and compares it with the history.
import { listAlarmHistory, listEvents } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Report } from '@voltkeep/simulator/outbox'
import type { TestClient } from './client.ts'

/**
 * What devices were promised: every report whose PUBACK has come. An acknowledged report is never sent
 * again, so one that the server has lost stays lost, and one that it has stored twice stays twice.
 */
export class Ledger {
  /** `device semaphore value`; values are never used twice, so this names the report. */
  readonly opened: string[] = []
  readonly recovered: string[] = []
  readonly events: string[] = []
  readonly #openValues = new Map<string, number>()
  #nextValue = 0

  /** For the fleet's onAcknowledged: a device's reports are acknowledged in the order of their sending. */
  readonly record = ({ deviceCode, name, body }: Report): void => {
    const { code, value } = body as { code: string; value: number }
    const key = `${deviceCode} ${code}`
    if (name === 'event') this.events.push(`${key} ${value}`)
    if (name !== 'alarm') return
    if (value > 0) {
      this.opened.push(`${key} ${value}`)
      this.#openValues.set(key, value)
    } else {
      this.recovered.push(`${key} ${this.#openValues.get(key)}`)
    }
  }

  /** One alarm that comes and goes, and an event; never more than a few on their way. */
  async play(device: VirtualDevice): Promise<void> {
    while (device.outboxSize > 12) await new Promise((resolve) => setTimeout(resolve, 10))
    this.#nextValue += 1
    const code = `T${this.#nextValue % 7}`
    void device.raise(code, this.#nextValue)
    void device.report('event', { code: 'E1', value: this.#nextValue })
    void device.recover(code)
  }

  /**
   * Keeps every device busy until the signal: as fast as the server acknowledges where it is the server
   * that does. A broker that acknowledges while the server is away has to be spared by a longer pause.
   */
  async storm(devices: readonly VirtualDevice[], signal: AbortSignal, pauseMs = 5): Promise<void> {
    await Promise.all(
      devices.map(async (device) => {
        while (!signal.aborted) {
          await this.play(device)
          await new Promise((resolve) => setTimeout(resolve, pauseMs))
        }
      }),
    )
  }
}

/** What the server lost, invented or stored twice, one line each; none where the books agree. */
export async function differences(ledger: Ledger, client: TestClient, token: string): Promise<string[]> {
  const account = await readAccount(client, token)
  return (['opened', 'recovered', 'events'] as const).flatMap((book) => {
    const promised = new Set(ledger[book])
    const kept = new Set<string>()
    const repeated: string[] = []
    for (const name of account[book]) {
      if (kept.has(name)) repeated.push(name)
      kept.add(name)
    }
    return [
      ...[...promised].filter((name) => !kept.has(name)).map((name) => `${book}: lost ${name}`),
      ...[...kept].filter((name) => !promised.has(name)).map((name) => `${book}: unknown ${name}`),
      ...repeated.map((name) => `${book}: twice ${name}`),
    ]
  })
}

/** The server's own account, read page by page over the API. */
async function readAccount(client: TestClient, token: string) {
  const opened: string[] = []
  const recovered: string[] = []
  const events: string[] = []
  for await (const row of pages((page) => client.call(listAlarmHistory, page, token))) {
    const name = `${row.code} ${row.semaphoreCode} ${row.firstValue}`
    opened.push(name)
    if (row.status === 0) recovered.push(name)
  }
  for await (const row of pages((page) => client.call(listEvents, page, token))) {
    events.push(`${row.code} ${row.semaphoreCode} ${row.value}`)
  }
  return { opened, recovered, events }
}

async function* pages<Row>(
  read: (page: {
    pageNum: number
    pageSize: number
  }) => Promise<{ code: number; message: string; data: Row[]; total?: number }>,
): AsyncGenerator<Row> {
  const pageSize = 500
  for (let pageNum = 1; ; pageNum += 1) {
    const answer = await read({ pageNum, pageSize })
    if (answer.code !== 200) throw new Error(`${answer.code} ${answer.message}`)
    yield* answer.data
    if (pageNum * pageSize >= (answer.total ?? 0)) return
  }
}
