import { texts } from '../../lib/texts/index.ts'
import { ChoiceFilter } from '../list/filters.tsx'
import type { Draft } from '../list/useDraft.ts'

const numbers = [1, 2, 3, 5, 8, 12]

/** Cabinets with fewer full batteries than a number. */
export const FullFewerFilter = ({ of: draft }: { of: Draft }) => (
  <ChoiceFilter
    of={draft}
    name="fullFewerThan"
    label={texts.fields.fullFewer}
    options={numbers.map((count) => ({ value: count, label: texts.states.batteries(count) }))}
  />
)
