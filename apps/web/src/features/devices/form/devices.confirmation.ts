import type { DeviceRow } from '@voltkeep/contract/devices'
import type { Confirmation } from '../../../ui/buttons/Confirmation.tsx'
import { deviceTexts } from '../devices.texts.ts'

const { move } = deviceTexts

type Moved = Pick<DeviceRow, 'code' | 'operatorId' | 'operatorName' | 'regionCode' | 'regionName'>

/**
 * The confirmation before a device changes its operator or region, which changes who sees it. Undefined if neither
 * changes.
 */
export function confirmationOf(
  { code, operatorId, operatorName, regionCode, regionName }: Moved,
  saved: { operatorId: string; regionCode: string },
  nameOf: { operator: (id: string) => string; region: (code: string) => string },
): Confirmation | undefined {
  const changes: string[] = []
  if (saved.operatorId !== operatorId) {
    changes.push(move.operator(code, operatorName, nameOf.operator(saved.operatorId)))
  }
  if (saved.regionCode !== regionCode) {
    changes.push(move.region(code, regionName, nameOf.region(saved.regionCode)))
  }
  if (changes.length === 0) return undefined
  return { title: move.title, body: changes.join('\n'), confirmLabel: move.action }
}
