import { PlusOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import {
  deleteRegion,
  insertRegion,
  listRegions,
  RegionCode,
  type RegionNode,
  updateRegion,
} from '@voltkeep/contract/regions'
import { Button } from 'antd'
import * as z from 'zod/mini'
import { usePage } from '../../lib/pages.ts'
import { useUrlState } from '../../lib/urlState.ts'
import { readingRarely } from '../../lib/wire/reading.ts'
import { AddFirst } from '../../ui/buttons/AddFirst.tsx'
import { regionShape } from '../../ui/choices/choices.trees.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import { TreePage } from '../../ui/tree/TreePage.tsx'
import { nodeColumns, useNodeForms } from '../../ui/tree/treeNodes.tsx'
import { wayTo } from '../../ui/tree/treeRows.ts'
import { RegionActions } from './RegionActions.tsx'
import { RegionDetail } from './RegionDetail.tsx'
import { regionTexts } from './regions.texts.ts'

const RegionDialog = lazyDialog(() => import('./RegionDialog.tsx'))

/** Like `useOpenRow`, but with a region's code. */
const OpenSearch = z.object({ open: z.optional(RegionCode) })

const { fields } = regionTexts

/** The tree of all regions, with a detail panel. */
export default function RegionPage() {
  const { title } = usePage()
  const query = useQuery({ ...readingRarely(listRegions, {}), meta: { isQuiet: true } })
  const [{ open }, setSearch] = useUrlState(OpenSearch)
  const close = () => setSearch({})
  const forms = useNodeForms<RegionNode>()
  const mayAdd = usePermission(insertRegion.access)

  const columns = nodeColumns<RegionNode>({
    code: { title: fields.code, width: 180, of: ({ value }) => value },
    actions: (region) => <RegionActions region={region} {...forms.actions} />,
    codes: [insertRegion.access, updateRegion.access, deleteRegion.access],
  })

  return (
    <>
      <TreePage
        title={title}
        measure={regionTexts.measure}
        nameTitle={fields.name}
        query={query}
        shape={regionShape}
        nameOf={({ label }) => label}
        columns={columns}
        second={({ value }) => regionTexts.codeOf(value)}
        placeholder={regionTexts.search}
        onOpen={({ value }) => setSearch({ open: value }, { replace: open !== undefined })}
        openKey={open}
        actions={
          <Permitted code={insertRegion.access}>
            <Button type="primary" icon={<PlusOutlined />} onClick={forms.add}>
              {regionTexts.add}
            </Button>
          </Permitted>
        }
        empty={{
          title: regionTexts.empty,
          hint: mayAdd ? regionTexts.emptyHint : undefined,
          action: mayAdd && <AddFirst onClick={forms.add} />,
        }}
      />
      {open && query.data && (
        <RegionDetail
          key={open}
          way={wayTo(query.data, open, regionShape)}
          onClose={close}
          {...forms.actions}
        />
      )}
      {forms.parent !== undefined && <RegionDialog parent={forms.parent} onClose={forms.closeAdding} />}
      {forms.edited && (
        <RegionDialog key={forms.edited.value} region={forms.edited} onClose={forms.closeEditing} />
      )}
    </>
  )
}
