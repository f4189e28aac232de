// Which events are no repetition: those are kept when the day has brought too many.

import { hash } from 'node:crypto'
import type { EventReport } from '@voltkeep/contract/topics/index'
import type { Report } from '../../platform/devices/ingest/reports.ts'

const rememberedEvents = 200_000

/** It takes some 40 MB when full. An event that was forgotten, or came before a start, counts as new. */
export class LastEvents {
  readonly #last = new Map<string, string>()

  /** Those of a batch that differ from the last of the same device and code. `keep` is to be called after the commit. */
  changesOf(reports: readonly Report<EventReport>[]): { changes: Report<EventReport>[]; keep: () => void } {
    const latest = new Map<string, string>()
    const changes = reports.filter(({ deviceId, payload: { code, value, isFault, data } }) => {
      const key = `${deviceId} ${code}`
      const said = hash('sha1', JSON.stringify([value, isFault, data]), 'base64')
      const isNew = (latest.get(key) ?? this.#last.get(key)) !== said
      latest.set(key, said)
      return isNew
    })
    return { changes, keep: () => this.#keep(latest) }
  }

  #keep(latest: ReadonlyMap<string, string>): void {
    for (const [key, said] of latest) {
      this.#last.delete(key)
      this.#last.set(key, said)
    }
    for (const key of this.#last.keys()) {
      if (this.#last.size <= rememberedEvents) return
      this.#last.delete(key)
    }
  }
}
