// The tree of all menus. A change takes effect at each user's next navigation.
import { useQuery } from '@tanstack/react-query'
import { deleteMenu, insertMenu, listMenus, type MenuRecord, updateMenu } from '@voltkeep/contract/menus'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { usePage } from '../../lib/pages.ts'
import { reading } from '../../lib/wire/reading.ts'
import { AddButton } from '../../ui/buttons/adding.tsx'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { operationColumn } from '../../ui/list/plainColumns.tsx'
import { Nothing } from '../../ui/marks/Nothing.tsx'
import { MenuIcon } from '../../ui/menuIcons.tsx'
import { TreePage } from '../../ui/tree/TreePage.tsx'
import { wayTo } from '../../ui/tree/treeRows.ts'
import { MenuActions } from './MenuActions.tsx'
import { MenuDetail } from './MenuDetail.tsx'
import { menuShape } from './menus.choices.ts'
import styles from './menus.module.css'
import { menuTexts } from './menus.texts.ts'

const MenuDialog = lazyDialog(() => import('./MenuDialog.tsx'))
const { fields } = menuTexts

export default function MenuPage() {
  const { title } = usePage()
  const query = useQuery({ ...reading(listMenus, {}), meta: { isQuiet: true } })
  const row = useOpenRow()
  const [edited, setEdited] = useState<MenuRecord>()
  const [parent, setParent] = useState<MenuRecord | null>()
  const actions = { onAddBelow: setParent, onEdit: setEdited }
  const tree = query.data ?? []

  const columns: Column<MenuRecord>[] = [
    {
      key: 'type',
      title: fields.type,
      width: 64,
      render: ({ type }) => <span className={styles.type}>{menuTexts.types[type]}</span>,
    },
    {
      key: 'path',
      title: fields.path,
      width: 150,
      maxWidth: 180,
      render: ({ type, path }) => <Code text={type === 'F' ? null : path} />,
    },
    {
      key: 'remark',
      title: `${fields.remark} / ${fields.code}`,
      width: 190,
      maxWidth: 220,
      render: ({ remark }) => <Code text={remark} />,
    },
    {
      key: 'url',
      title: fields.url,
      width: 168,
      codes: [insertMenu.access, updateMenu.access, deleteMenu.access],
      maxWidth: 240,
      render: ({ url }) => <Code text={url} />,
    },
    {
      key: 'orderNum',
      title: fields.orderNum,
      width: 64,
      align: 'right',
      render: ({ orderNum }) => orderNum,
    },
    {
      key: 'roleCount',
      title: fields.roles,
      width: 84,
      align: 'right',
      render: ({ roleCount }) =>
        roleCount === 0 ? <Nothing /> : menuTexts.roleCount(formatCount(roleCount)),
    },
    operationColumn(200, (menu) => <MenuActions menu={menu} {...actions} />, [
      insertMenu.access,
      updateMenu.access,
      deleteMenu.access,
    ]),
  ]

  return (
    <>
      <TreePage
        title={title}
        measure={menuTexts.measure}
        nameTitle={fields.name}
        query={query}
        shape={menuShape}
        nameOf={({ name, shownName = name }) => shownName}
        render={({ name, shownName = name, icon, type }) => (
          <>
            {icon && type !== 'F' && (
              <span className={styles.icon} aria-hidden="true">
                <MenuIcon name={icon} />
              </span>
            )}
            {shownName}
          </>
        )}
        columns={columns}
        second={({ type, path, remark }) => `${menuTexts.types[type]} · ${type === 'F' ? remark : path}`}
        placeholder={menuTexts.search}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        actions={
          <AddButton code={insertMenu.access} onClick={() => setParent(null)}>
            {menuTexts.add}
          </AddButton>
        }
        empty={{ title: menuTexts.empty }}
      />
      {row.id && query.data && (
        <MenuDetail key={row.id} way={wayTo(tree, row.id, menuShape)} onClose={row.close} {...actions} />
      )}
      {parent !== undefined && (
        <MenuDialog
          key={`below ${parent?.id}`}
          tree={tree}
          {...(parent ? { parent } : {})}
          onClose={() => setParent(undefined)}
        />
      )}
      {edited && (
        <MenuDialog key={edited.id} tree={tree} menu={edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  )
}

function Code({ text }: { text: string | null }) {
  return text === null ? (
    <Nothing />
  ) : (
    <span className="mono" title={text}>
      {text}
    </span>
  )
}
