import type { UpgradeProgressState } from '@voltkeep/contract/topics/index'
import type { ReportBody } from '../outbox.ts'

interface ProgressHost {
  report(name: 'upgrade', body: ReportBody<'upgrade'>): Promise<unknown>
}

const usualPauseMs = 5_000
/** The protocol requires a sign of life every five minutes. */
const heartbeatMs = 240_000

/**
 * A device's reports about one try of an upgrade. Percentages never decrease, also after a power cut; a report of the
 * same state comes after a pause.
 */
export class UpgradeProgress {
  readonly #host: ProgressHost
  readonly #targetId: string
  readonly #pauseMs: number
  #last: { state: UpgradeProgressState; percent: number | undefined; atMs: number } | undefined

  constructor(host: ProgressHost, targetId: string, pauseMs = usualPauseMs) {
    this.#host = host
    this.#targetId = targetId
    this.#pauseMs = pauseMs
  }

  /** `percent` in fractions of the download or of the installation. */
  tell(state: 'downloading' | 'installing', percent: number): void {
    const whole = Math.floor(Math.min(percent, 100))
    const last = this.#last
    if (last?.state === state) {
      if (whole <= (last.percent ?? 0) || Date.now() - last.atMs < this.#pauseMs) return
    } else if (last?.state === 'installing') {
      // The power failed during the installation: the server still sees it as going on.
      return
    }
    void this.#report({ state, percent: whole })
  }

  /** The end of the try; resolves when the server has it. */
  tellEnd(state: 'installed' | 'failed', reason?: string): Promise<unknown> {
    return this.#report({ state, ...(reason === undefined ? {} : { reason }) })
  }

  /** Reports the end of the try once more, when the server asks again. */
  tellAgain(): Promise<unknown> {
    return this.tellEnd('installed')
  }

  /** Repeats the last report now and then, as a sign of life, until it is cleared. */
  beat(): NodeJS.Timeout {
    return setInterval(() => {
      if (this.#last) void this.#report(this.#last)
    }, heartbeatMs).unref()
  }

  #report({ state, percent, reason }: Omit<ReportBody<'upgrade'>, 'targetId'>): Promise<unknown> {
    this.#last = { state, percent, atMs: Date.now() }
    return this.#host.report('upgrade', {
      targetId: this.#targetId,
      state,
      ...(percent === undefined ? {} : { percent }),
      ...(reason === undefined ? {} : { reason }),
    })
  }
}
