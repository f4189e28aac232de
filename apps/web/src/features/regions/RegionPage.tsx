import { PlusOutlined } from '@ant-design/icons'
import { insertRegion, RegionCode, type RegionNode } from '@voltkeep/contract/regions'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import * as z from 'zod/mini'
import { usePage } from '../../lib/pages.ts'
import { texts } from '../../lib/texts/index.ts'
import { useUrlState } from '../../lib/urlState.ts'
import { CopyText } from '../../ui/CopyText.tsx'
import { regionShape } from '../../ui/choices/choices.trees.ts'
import { useRegions } from '../../ui/choices/choices.ts'
import type { Column } from '../../ui/list/DataTable.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { TreePage } from '../../ui/tree/TreePage.tsx'
import { wayTo } from '../../ui/tree/treeRows.ts'
import { RegionActions } from './RegionActions.tsx'
import { RegionDetail } from './RegionDetail.tsx'
import { regionTexts } from './regions.texts.ts'

const RegionDialog = lazy(() => import('./RegionDialog.tsx'))

/** As `useOpenRow`, by code. */
const OpenSearch = z.object({ open: z.optional(RegionCode) })

const { fields } = regionTexts

/** All regions as a tree; one of them beside it. */
export default function RegionPage() {
  const { title } = usePage()
  const query = useRegions()
  const [{ open }, setSearch] = useUrlState(OpenSearch)
  const close = () => setSearch({})
  const [edited, setEdited] = useState<RegionNode>()
  const [parent, setParent] = useState<RegionNode | null>()
  const actions = { onAddBelow: setParent, onEdit: setEdited }

  const columns: Column<RegionNode>[] = [
    { key: 'code', title: fields.code, width: 180, render: ({ value }) => <CopyText text={value} /> },
    {
      key: 'orderNum',
      title: fields.orderNum,
      width: 88,
      align: 'right',
      render: ({ orderNum }) => orderNum,
    },
    {
      key: 'operation',
      title: texts.list.operation,
      width: 216,
      fixed: 'right',
      render: (region) => <RegionActions region={region} {...actions} />,
    },
  ]

  return (
    <>
      <TreePage
        title={title}
        nameTitle={fields.name}
        query={query}
        shape={regionShape}
        nameOf={({ label }) => label}
        columns={columns}
        second={({ value }) => value}
        placeholder={regionTexts.search}
        onOpen={({ value }) => setSearch({ open: value }, { replace: open !== undefined })}
        openKey={open}
        actions={
          <Permitted code={insertRegion.access}>
            <Button type="primary" icon={<PlusOutlined />} onClick={() => setParent(null)}>
              {regionTexts.add}
            </Button>
          </Permitted>
        }
        empty={{ title: regionTexts.empty, hint: regionTexts.emptyHint }}
      />
      {open && query.data && (
        <RegionDetail key={open} way={wayTo(query.data, open, regionShape)} onClose={close} {...actions} />
      )}
      <Suspense>
        {parent !== undefined && <RegionDialog parent={parent} onClose={() => setParent(undefined)} />}
        {edited && <RegionDialog key={edited.value} region={edited} onClose={() => setEdited(undefined)} />}
      </Suspense>
    </>
  )
}
