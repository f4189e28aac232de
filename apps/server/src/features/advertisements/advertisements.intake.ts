import type { AdvertisementReport } from '@voltkeep/contract/topics/index'
import { kyselyOn } from '../../platform/database/statements.ts'
import type { Report } from '../../platform/devices/ingest/reports.ts'
import type { Writer } from '../../platform/devices/ingest/writer.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import { addUnknown, concerned } from './deliveries.queries.ts'
import { deliveries, type MovingDelivery } from './deliveries.work.ts'

type KeptState = AdvertisementReport['advertisements'][number]['state']

/**
 * Writes cabinets' reports of the advertisements that they keep and show. A report is a whole list, so only the newest
 * of a batch counts; an id that is none of our advertisements is ignored.
 */
export function createReportWriter(
  tellChanged: (changed: readonly MovingDelivery[]) => void,
): Writer<Report<AdvertisementReport>> {
  return {
    name: 'advertisements',
    async write(connection, reports) {
      const newest = new Map<number, Report<AdvertisementReport>>()
      for (const report of reports) {
        const before = newest.get(report.deviceId)
        if (!before || report.occurredAtMs >= before.occurredAtMs) newest.set(report.deviceId, report)
      }
      const kept = new Map([...newest].map(([deviceId, { payload }]) => [deviceId, statesOf(payload)]))
      const pairs = [...kept].flatMap(([deviceId, states]) =>
        [...states.keys()].map((advertisementId) => ({ deviceId, advertisementId })),
      )
      const trx = kyselyOn(connection)
      if ((await addUnknown(trx, pairs)) > 0) await deliveries.wake(trx, 0)
      const moved = await deliveries.move(
        trx,
        concerned([...newest.keys()], pairs),
        ({ deviceId, advertisementId, endsAtMs }) => {
          const { occurredAtMs = 0, clockLimitMs = null } = newest.get(deviceId) ?? {}
          const nowMs = sharedNowMs()
          return {
            kind: 'reported',
            kept: kept.get(deviceId)?.get(advertisementId) ?? null,
            reportedAtMs: occurredAtMs,
            clockLimitMs,
            isOver: endsAtMs <= Math.max(nowMs, clockLimitMs ?? nowMs),
            nowMs,
            jitter: Math.random(),
          }
        },
      )
      return moved.length > 0 ? () => tellChanged(moved) : undefined
    },
  }
}

/** By the ids of our advertisements; what is not of their form is left out. */
function statesOf({ advertisements }: AdvertisementReport): Map<number, KeptState> {
  return new Map(
    advertisements.flatMap(({ advertisementId, state }) =>
      /^[1-9]\d{0,8}$/.test(advertisementId) ? [[Number(advertisementId), state] as const] : [],
    ),
  )
}
