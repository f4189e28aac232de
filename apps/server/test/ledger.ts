// Records the alarms and events that the server has acknowledged, and compares them with the history.
import { listAlarmHistory, listEvents } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import type { Report } from '@voltkeep/simulator/outbox'
import type { TestClient } from './client.ts'

/**
 * The acknowledged reports: every report whose PUBACK has arrived. An acknowledged report is never sent again, so a
 * loss or a duplicate in the server stays visible.
 */
export class Ledger {
  /** `device semaphore value`; each value is used once, so this identifies the report. */
  readonly opened: string[] = []
  readonly recovered: string[] = []
  readonly events: string[] = []
  readonly #openValues = new Map<string, number>()
  #nextValue = 0

  /** For the fleet's onAcknowledged: a device's reports are acknowledged in the order they were sent. */
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

  /** Sends an alarm, its recovery and an event, with only a few reports in flight. */
  async play(device: VirtualDevice): Promise<void> {
    while (device.outboxSize > 12) await new Promise((resolve) => setTimeout(resolve, 10))
    this.#nextValue += 1
    const code = `T${this.#nextValue % 7}`
    void device.raise(code, this.#nextValue)
    void device.report('event', { code: 'E1', value: this.#nextValue })
    void device.recover(code)
  }

  /**
   * Keeps every device sending until aborted. Where the server acknowledges, that limits the rate. A broker
   * acknowledges while the server is down, so it needs a longer pause.
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

/** Reports that the server lost, invented or stored twice, one per line; empty if there are none. */
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

/** The server's alarms and events, read page by page through the API. */
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
