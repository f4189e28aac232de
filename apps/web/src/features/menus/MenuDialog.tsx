// The form of a menu.
import {
  externalPath,
  InsertFunctionForm,
  insertMenu,
  listMenus,
  type MenuRecord,
  type MenuType,
  menuComponentKey,
  UpdateFunctionForm,
  updateMenu,
} from '@voltkeep/contract/menus'
import { AutoComplete, Input, InputNumber, Radio } from 'antd'
import { lazy, Suspense, useEffect, useState } from 'react'
import { pageKeys } from '../../lib/pages.ts'
import { tellAccessChanged } from '../../lib/session.ts'
import { useStore } from '../../lib/store.ts'
import { call } from '../../lib/wire/call.ts'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../ui/form/form.types.ts'
import { useFieldValue } from '../../ui/form/useFieldValue.ts'
import { Waiting } from '../../ui/Waiting.tsx'
import { findMenu, parentChoices, top, typesBelow } from './menus.choices.ts'
import { confirmationOf } from './menus.confirmation.ts'
import { menuTexts } from './menus.texts.ts'
import { ParentSelect } from './ParentSelect.tsx'

const IconPicker = lazy(() => import('./IconPicker.tsx'))
const { fields } = menuTexts

export interface MenuDialogProps {
  tree: readonly MenuRecord[]
  /** The menu to change; absent for a new one. */
  menu?: MenuRecord
  /** The parent of a new menu; absent for the top level. */
  parent?: MenuRecord
  onClose: () => void
}

/** Adds a menu or changes one. */
export default function MenuDialog({ tree, menu, parent, onClose }: MenuDialogProps) {
  const [type, setType] = useState(menu?.type ?? typesBelow(parent)[0])
  /** The menu as last read: the confirmation compares with it. */
  const [saved, setSaved] = useState(menu)
  const isFunction = type === 'F'
  const rules = menu
    ? isFunction
      ? UpdateFunctionForm
      : updateMenu.input
    : isFunction
      ? InsertFunctionForm
      : insertMenu.input
  const title = menu
    ? menuTexts.editTitle(menu.name)
    : parent
      ? menuTexts.addChildTitle(parent.name)
      : menuTexts.add
  const readPresent = async (changed: MenuRecord) => {
    const present = findMenu(await call(listMenus, {}), changed.id) ?? changed
    setSaved(present)
    return present
  }
  return (
    <FormDialog
      title={title}
      endpoint={menu ? updateMenu : insertMenu}
      schema={rules}
      stale={[listMenus]}
      initial={menu ?? { parentId: parent?.id ?? top, type, openType: 0 }}
      // Leaves out fields that the type does not use, e.g. the component of a page that became a directory.
      toInput={({ url, icon, ...values }) => ({
        ...values,
        url: values.type === 'C' ? url : undefined,
        icon: values.type === 'F' ? undefined : icon,
      })}
      confirm={(values) => saved && confirmationOf(tree, saved, values)}
      readPresent={menu && (() => readPresent(menu))}
      onDone={tellAccessChanged}
      onClose={onClose}
    >
      {(form) => <MenuFields form={form} tree={tree} menu={menu} onTypeChange={setType} />}
    </FormDialog>
  )
}

type MenuForm =
  | typeof insertMenu.input
  | typeof updateMenu.input
  | typeof InsertFunctionForm
  | typeof UpdateFunctionForm

function MenuFields({
  form,
  tree,
  menu,
  onTypeChange,
}: {
  form: TypedForm<MenuForm>
  tree: readonly MenuRecord[]
  menu: MenuRecord | undefined
  onTypeChange: (type: MenuType) => void
}) {
  const { Field } = form
  const type = useFieldValue(form, 'type')
  const openType = useFieldValue(form, 'openType')
  const parentId = useFieldValue(form, 'parentId')
  const url = useFieldValue(form, 'url')
  const keys = useStore(pageKeys)
  const parent = findMenu(tree, parentId)
  const types = typesBelow(parent)
  const isExternal = type === 'C' && openType === 1
  const isUnknown = type === 'C' && !isExternal && !!url && !keys.includes(menuComponentKey(url))

  useEffect(() => {
    if (type) onTypeChange(type)
  }, [type, onTypeChange])

  const onType = (next: MenuType) => {
    if (next !== 'C' && openType === 1) onOpenType(0)
    form.setValues({ type: next })
  }
  const onParent = (id: string) => {
    const offered = typesBelow(findMenu(tree, id))
    if (type && !offered.includes(type) && offered[0]) onType(offered[0])
  }
  /** An external link has one fixed path, so the typed path is replaced. */
  const onOpenType = (next: 0 | 1) => {
    form.setValues({
      openType: next,
      path: next === 1 ? externalPath : menu && menu.openType === 0 ? menu.path : undefined,
      url: undefined,
    })
  }

  return (
    <>
      <Field name="parentId" label={fields.parent}>
        <ParentSelect choices={parentChoices(tree, menu, menuTexts.top)} onChange={onParent} />
      </Field>
      <Field name="type" label={fields.type}>
        <Radio.Group
          onChange={(event) => onType(event.target.value)}
          options={types.map((value) => ({ value, label: menuTexts.types[value] ?? value }))}
        />
      </Field>
      <Field name="name" label={fields.name}>
        <Input maxLength={64} autoComplete="off" />
      </Field>
      {type === 'C' && (
        <Field name="openType" label={fields.openType}>
          <Radio.Group
            onChange={(event) => onOpenType(event.target.value)}
            options={([0, 1] as const).map((value) => ({ value, label: menuTexts.openTypes[value] ?? '' }))}
          />
        </Field>
      )}
      <Field
        name="path"
        label={fields.path}
        hint={isExternal ? menuTexts.externalPath : type === 'F' ? undefined : menuTexts.pathHint}
        dependsOn={['openType', 'type']}
      >
        <Input disabled={isExternal} maxLength={200} autoComplete="off" spellCheck={false} />
      </Field>
      <Field
        name="remark"
        label={type === 'F' ? fields.code : fields.remark}
        hint={type === 'F' ? menuTexts.codeHint : undefined}
        dependsOn={['type']}
      >
        <Input maxLength={100} autoComplete="off" spellCheck={false} />
      </Field>
      {type === 'F' ? null : isExternal ? (
        <Field name="url" label={fields.link} isNeeded dependsOn={['openType']}>
          <Input maxLength={500} placeholder="https://" autoComplete="off" spellCheck={false} />
        </Field>
      ) : (
        <Field
          name="url"
          label={fields.url}
          hint={type !== 'C' ? menuTexts.noUrl : isUnknown ? menuTexts.urlUnknown : menuTexts.urlHint}
          dependsOn={['openType', 'type']}
        >
          <AutoComplete
            disabled={type !== 'C'}
            allowClear
            options={keys.map((value) => ({ value }))}
            showSearch={{ filterOption: (typed, option) => !!option?.value.includes(typed) }}
          />
        </Field>
      )}
      {type !== 'F' && (
        <Field name="icon" label={fields.icon}>
          <LazyIconPicker />
        </Field>
      )}
      <Field name="orderNum" label={fields.orderNum}>
        <InputNumber min={0} max={999_999} precision={0} />
      </Field>
    </>
  )
}

/** Passes the form's value on to the picker, which is loaded on demand. */
function LazyIconPicker(props: { id?: string; value?: string; onChange?: (name?: string) => void }) {
  return (
    <Suspense fallback={<Waiting lines={2} />}>
      <IconPicker {...props} />
    </Suspense>
  )
}
