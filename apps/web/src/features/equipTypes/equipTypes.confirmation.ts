import type { EquipType } from '@voltkeep/contract/equipTypes'
import { formatCount } from '../../lib/format.ts'
import type { Confirmation } from '../../ui/buttons/Confirmation.tsx'
import { equipTypeTexts } from './equipTypes.texts.ts'

const { save } = equipTypeTexts

/** The confirmation before a type changes its parts, if it has models, which follow. Undefined otherwise. */
export function confirmationOf(
  type: Pick<EquipType, 'equipModels' | 'partTypes'>,
  saved: { name: string; partTypes?: readonly string[] | undefined },
): Confirmation | undefined {
  const models = type.equipModels.length
  const before = type.partTypes.map(({ code }) => code)
  const after = saved.partTypes ?? before
  const isSame = before.length === after.length && before.every((code) => after.includes(code))
  if (models === 0 || isSame) return undefined
  return { title: save.title, body: save.parts(saved.name, formatCount(models)), confirmLabel: save.action }
}
