import { PlusOutlined } from '@ant-design/icons'
import { deleteMenu, insertMenu, listMenus, type MenuRecord, updateMenu } from '@voltkeep/contract/menus'
import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import * as z from 'zod/mini'
import { formatCount } from '../../lib/format.ts'
import { usePage } from '../../lib/pages.ts'
import { tellAccessChanged } from '../../lib/session.ts'
import { texts } from '../../lib/texts/index.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { ConfirmButton } from '../../ui/ConfirmButton.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { TreeCell } from '../../ui/list/TreeCell.tsx'
import type { TreeRow } from '../../ui/list/tree.ts'
import { useTreeList } from '../../ui/list/useTreeList.ts'
import { MenuIcon } from '../../ui/menuIcons.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import { mentions, takesChildren } from './menus.choices.ts'
import styles from './menus.module.css'

const MenuDialog = lazy(() => import('./MenuDialog.tsx'))
const { fields, remove } = texts.menus

const Filters = z.object({ keyword: z.optional(z.string()) })
type Row = TreeRow<MenuRecord>
/** What the dialog is open for. */
type Opened = { menu: MenuRecord } | { parent: MenuRecord | undefined }

const matches = (menu: MenuRecord, { keyword = '' }: { keyword?: string | undefined }) =>
  mentions(menu, keyword)

/** All menus as a tree. What is changed here is in effect at everybody's next navigation. */
export default function MenuPage() {
  const { title } = usePage()
  const list = useTreeList(listMenus, { filters: Filters, matches })
  const [opened, setOpened] = useState<Opened>()
  const mayEdit = usePermission(updateMenu.access)
  const actions = (menu: MenuRecord) => (
    <MenuActions menu={menu} onAdd={() => setOpened({ parent: menu })} onEdit={() => setOpened({ menu })} />
  )

  const columns: Column<Row>[] = [
    {
      key: 'name',
      title: fields.name,
      maxWidth: 340,
      render: (row) => (
        <TreeCell row={row} name={row.node.name} onFold={list.fold}>
          {row.node.icon && (
            <span className={styles.icon} aria-hidden="true">
              <MenuIcon name={row.node.icon} />
            </span>
          )}
          <span title={row.node.name}>{row.node.name}</span>
        </TreeCell>
      ),
    },
    { key: 'type', title: fields.type, width: 64, render: ({ node }) => <TypeTag type={node.type} /> },
    {
      key: 'path',
      title: fields.path,
      maxWidth: 200,
      render: ({ node }) => <Mono text={node.type === 'F' ? null : node.path} />,
    },
    {
      key: 'remark',
      title: `${fields.remark} / ${fields.code}`,
      maxWidth: 220,
      render: ({ node }) => <Mono text={node.remark} />,
    },
    { key: 'url', title: fields.url, render: ({ node }) => <Mono text={node.url} /> },
    {
      key: 'orderNum',
      title: fields.orderNum,
      width: 72,
      align: 'right',
      render: ({ node }) => node.orderNum,
    },
    {
      key: 'roleCount',
      title: fields.roles,
      width: 88,
      align: 'right',
      render: ({ node }) =>
        node.roleCount === 0 ? <Nothing /> : texts.menus.roleCount(formatCount(node.roleCount)),
    },
    {
      key: 'operation',
      title: texts.list.operation,
      width: 200,
      fixed: 'right',
      render: ({ node }) => actions(node),
    },
  ]

  return (
    <>
      <ListPage
        title={title}
        list={list}
        columns={columns}
        keyOf={({ node }) => node.id}
        filters={(draft) => (
          <TextFilter
            of={draft}
            name="keyword"
            label={fields.keyword}
            placeholder={texts.menus.keywordHint}
          />
        )}
        actions={
          <>
            <Button onClick={() => list.foldAll(true)}>{texts.list.unfoldAll}</Button>
            <Button onClick={() => list.foldAll(false)}>{texts.list.foldAll}</Button>
            <Permitted code={insertMenu.access}>
              <Button type="primary" icon={<PlusOutlined />} onClick={() => setOpened({ parent: undefined })}>
                {texts.menus.add}
              </Button>
            </Permitted>
          </>
        }
        card={(row) => ({
          lead: (
            <TreeCell row={row} name={row.node.name} onFold={list.fold}>
              {row.node.name}
            </TreeCell>
          ),
          aside: <TypeTag type={row.node.type} />,
          second: <span className="mono">{row.node.type === 'F' ? row.node.remark : row.node.path}</span>,
          action: actions(row.node),
        })}
        {...(mayEdit ? { onOpen: ({ node }: Row) => setOpened({ menu: node }) } : {})}
        onFold={list.fold}
        empty={{ title: texts.menus.empty }}
        emptyFiltered={texts.menus.emptyFiltered}
      />
      <Suspense>
        {opened && (
          <MenuDialog
            key={'menu' in opened ? opened.menu.id : `below ${opened.parent?.id}`}
            tree={list.tree}
            {...('menu' in opened ? { menu: opened.menu } : opened.parent ? { parent: opened.parent } : {})}
            onClose={() => setOpened(undefined)}
          />
        )}
      </Suspense>
    </>
  )
}

function MenuActions({ menu, onAdd, onEdit }: { menu: MenuRecord; onAdd: () => void; onEdit: () => void }) {
  const deleting = useWriting(deleteMenu, [listMenus], { said: remove.done })
  const hasChildren = menu.children.length > 0
  return (
    <span className={styles.actions}>
      <Permitted code={updateMenu.access}>
        <Button type="link" size="small" onClick={onEdit}>
          {texts.menus.edit}
        </Button>
      </Permitted>
      <Permitted code={deleteMenu.access}>
        <span title={hasChildren ? remove.hasChildren : undefined}>
          <ConfirmButton
            type="link"
            size="small"
            isDanger
            disabled={hasChildren}
            title={remove.title}
            body={
              <>
                <p>{remove.ask(menu.name)}</p>
                {menu.roleCount > 0 && <p>{remove.fromRoles(formatCount(menu.roleCount))}</p>}
              </>
            }
            go={remove.action}
            saidOnStay={remove.cancelled}
            onConfirm={async () => {
              await deleting.mutateAsync({ id: menu.id, roleCount: menu.roleCount })
              tellAccessChanged()
            }}
          >
            {remove.action}
          </ConfirmButton>
        </span>
      </Permitted>
      {takesChildren(menu) && (
        <Permitted code={insertMenu.access}>
          <Button type="link" size="small" onClick={onAdd}>
            {texts.menus.addChild}
          </Button>
        </Permitted>
      )}
    </span>
  )
}

function TypeTag({ type }: { type: MenuRecord['type'] }) {
  return <span className={styles.type}>{texts.menus.types[type]}</span>
}

function Mono({ text }: { text: string | null }) {
  return text === null ? (
    <Nothing />
  ) : (
    <span className="mono" title={text}>
      {text}
    </span>
  )
}
