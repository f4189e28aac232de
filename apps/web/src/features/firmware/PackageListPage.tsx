// The list of packages in one of its two views, as firmware or as software versions.
import { PlusOutlined } from '@ant-design/icons'
import type { PackageRow } from '@voltkeep/contract/firmware'
import { Button } from 'antd'
import { useState } from 'react'
import { usePage } from '../../lib/pages.ts'
import { emptyList } from '../../ui/buttons/adding.tsx'
import { EquipTypeFilter, PartTypeFilter } from '../../ui/choices/filters.tsx'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { operationColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { PageLink } from '../../ui/PageLink.tsx'
import { usePermission } from '../../ui/Permitted.tsx'
import styles from './firmware.module.css'
import { firmwareTexts } from './firmware.texts.ts'
import { KindTag } from './KindTag.tsx'
import { PackageActions } from './PackageActions.tsx'
import { PackageDetail } from './PackageDetail.tsx'
import { packageColumns } from './packages.columns.tsx'
import type { PackageView } from './packageViews.ts'

const PackageDialog = lazyDialog(() => import('./PackageDialog.tsx'))
const PackageJson = lazyDialog(() => import('./PackageJson.tsx'))

const { fields, emptyHint } = firmwareTexts

export function PackageListPage({ view, leads }: { view: PackageView; leads: 'board' | 'equipType' }) {
  const { title } = usePage()
  const list = useList(view.list)
  const row = useOpenRow()
  const [isAdding, setAdding] = useState(false)
  const [edited, setEdited] = useState<PackageRow>()
  const [told, setTold] = useState<PackageRow>()
  const mayInsert = usePermission(view.insert.access)
  const mayUpload = usePermission(view.upload.access)
  // A package needs a file, so adding also needs the permission to upload.
  const mayAdd = mayInsert && mayUpload

  const actions = (of: PackageRow, onDeleted?: () => void) => (
    <PackageActions view={view} row={of} onJson={setTold} onEdit={setEdited} onDeleted={onDeleted} />
  )
  const columns: Column<PackageRow>[] = [...packageColumns(leads), operationColumn(164, (of) => actions(of))]

  return (
    <>
      <ListPage
        title={title}
        measure={firmwareTexts.measure}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => (
          <>
            <EquipTypeFilter of={draft} />
            <PartTypeFilter of={draft} label={fields.partType} />
            <TextFilter of={draft} name="version" label={fields.version} />
          </>
        )}
        actions={
          mayAdd && (
            <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
              {view.words.add}
            </Button>
          )
        }
        card={(of) => ({
          lead: `${leads === 'board' ? of.pcbCode : of.equipTypeName} · ${of.partTypeName}`,
          aside: <span className="mono">{of.version}</span>,
          second: leads === 'board' ? of.applyTo : <span className="mono">{of.fileName}</span>,
          action: <KindTag {...of} />,
        })}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        strip={'purpose' in view.words && <Purpose of={view.words.purpose} />}
        empty={emptyList(
          view.words.empty,
          mayAdd && {
            hint: (
              <>
                {emptyHint.before}
                <PageLink page="upgrade/board">{emptyHint.board}</PageLink>
                {emptyHint.after}
              </>
            ),
            onAdd: () => setAdding(true),
          },
        )}
        emptyFiltered={view.words.emptyFiltered}
      />
      {row.id && (
        <PackageDetail
          id={row.id}
          rows={list.rows}
          onOpen={({ id }) => row.open(id)}
          view={view}
          actionsOf={(of) => actions(of, row.close)}
          onClose={row.close}
        />
      )}
      {isAdding && <PackageDialog view={view} onClose={() => setAdding(false)} />}
      {edited && (
        <PackageDialog key={edited.id} view={view} row={edited} onClose={() => setEdited(undefined)} />
      )}
      {told && <PackageJson key={told.id} view={view} row={told} onClose={() => setTold(undefined)} />}
    </>
  )
}

/** How the list of versions differs from that of the files, which has the same rows. */
function Purpose({
  of: { before, firmware, after },
}: {
  of: Record<'before' | 'firmware' | 'after', string>
}) {
  return (
    <p className={styles.purpose}>
      {before}
      <PageLink page="upgrade/firmware">{firmware}</PageLink>
      {after}
    </p>
  )
}
