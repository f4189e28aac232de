import type { UpgradeReport } from '@voltkeep/contract/topics/index'
import { kyselyOn } from '../../../platform/database/statements.ts'
import type { Report } from '../../../platform/devices/ingest/reports.ts'
import type { Writer } from '../../../platform/devices/ingest/writer.ts'
import { sharedNowMs } from '../../../platform/process/clocks/shared-clock.ts'
import { ofPairs } from './targets.queries.ts'
import { isOpen, type Target, type TargetEvent, targetAfter } from './targets.states.ts'
import { type MovingTarget, targets } from './targets.work.ts'

type ProgressReport = Report<UpgradeReport>

/**
 * Writes devices' progress reports of upgrades. A report about a target that is not the device's own, that is over, or
 * that goes backwards is refused and changes nothing.
 */
export function createProgressWriter(
  tellChanged: (targets: readonly MovingTarget[]) => void,
): Writer<ProgressReport> {
  return {
    name: 'upgrade',
    async write(connection, reports) {
      const byTarget = new Map<string, ProgressReport[]>()
      for (const report of reports) {
        if (!isTargetId(report.payload.targetId)) continue
        const key = keyOf(report.payload.targetId, report.deviceId)
        const known = byTarget.get(key)
        if (known) known.push(report)
        else byTarget.set(key, [report])
      }
      const pairs = [...byTarget.values()].flatMap(([first]) =>
        first ? [{ targetId: first.payload.targetId, deviceId: first.deviceId }] : [],
      )
      const found = new Set<string>()
      const unmoved: (readonly [ProgressReport, string])[] = []
      const moved =
        pairs.length === 0
          ? []
          : await targets.move(kyselyOn(connection), ofPairs(pairs), (target) => {
              const key = keyOf(target.id, target.deviceId)
              found.add(key)
              let known: Target = target
              return (byTarget.get(key) ?? []).map((report) => {
                const event = eventOf(report.payload)
                const after = targetAfter(known, event, target.rule)
                if (after === known && !isRepeated(known, event))
                  unmoved.push([report, isOpen(known.state) ? '升级进度倒退' : '升级已结束'])
                known = after
                return event
              })
            })
      const unknown = reports.filter(({ payload, deviceId }) => !found.has(keyOf(payload.targetId, deviceId)))
      return () => {
        for (const report of unknown) report.refuse('unknownUpgrade', '没有该设备的这项升级')
        for (const [report, detail] of unmoved) report.refuse('staleUpgrade', detail)
        tellChanged(moved)
      }
    },
  }
}

const keyOf = (targetId: string, deviceId: number) => `${deviceId} ${targetId}`

/** A claim may be repeated. */
const isRepeated = ({ state, claimedAtMs }: Target, { kind }: TargetEvent) =>
  kind === 'claimed' && claimedAtMs !== null && isOpen(state)

/** Whether a text that a device sent can be the id of a target at all. */
const isTargetId = (text: string) => /^[1-9]\d{0,17}$/.test(text)

function eventOf({ state, percent, reason }: UpgradeReport): TargetEvent {
  const nowMs = sharedNowMs()
  switch (state) {
    case 'downloading':
    case 'installing':
      return { kind: 'progressed', to: state, percent: percent ?? null, nowMs }
    case 'installed':
      return { kind: 'claimed', nowMs }
    case 'failed':
      return { kind: 'failed', reason: reason ?? '设备升级失败', nowMs }
  }
}
