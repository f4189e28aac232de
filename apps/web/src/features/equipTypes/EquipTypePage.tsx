import { useNavigate } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { useUrlState } from '../../lib/urlState.ts'
import { Tabs } from '../../ui/Tabs.tsx'
import { EquipTypeList } from './EquipTypeList.tsx'
import { equipTypeTexts } from './equipTypes.texts.ts'
import { PartTypeList } from './PartTypeList.tsx'

const TabSearch = z.object({ tab: z._default(z.enum(['types', 'parts']), 'types') })
type Tab = z.output<typeof TabSearch>['tab']

/** The kinds of devices, and the kinds of parts that they consist of. */
export default function EquipTypePage() {
  const [{ tab }] = useUrlState(TabSearch)
  const navigate = useNavigate()
  // The other tab starts without filters, so the whole search is replaced.
  const show = (next: Tab) =>
    void navigate({ to: '.', search: (next === 'types' ? {} : { tab: next }) as never })
  const tabs = (
    <Tabs
      label={equipTypeTexts.title}
      active={tab}
      onChange={show}
      tabs={[
        { key: 'types', title: equipTypeTexts.tabs.types },
        { key: 'parts', title: equipTypeTexts.tabs.parts },
      ]}
    />
  )
  return tab === 'parts' ? <PartTypeList head={tabs} /> : <EquipTypeList head={tabs} />
}
