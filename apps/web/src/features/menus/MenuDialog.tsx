import {
  externalPath,
  FunctionMenuForm,
  insertMenu,
  listMenus,
  type MenuRecord,
  type MenuType,
  menuComponentKey,
  updateMenu,
} from '@voltkeep/contract/menus'
import { AutoComplete, Form, type FormInstance, Input, InputNumber, Radio, TreeSelect } from 'antd'
import { lazy, Suspense, useEffect, useState } from 'react'
import { pageKeys } from '../../lib/pages.ts'
import { tellAccessChanged } from '../../lib/session.ts'
import { useStore } from '../../lib/store.ts'
import { texts } from '../../lib/texts/index.ts'
import { call } from '../../lib/wire/call.ts'
import { withoutEmpty } from '../../lib/wire/outgoing.ts'
import { Field } from '../../ui/form/Field.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { findMenu, parentChoices, top, typesBelow } from './menus.choices.ts'

const IconPicker = lazy(() => import('./IconPicker.tsx'))
const { fields } = texts.menus
type Values = Record<string, unknown>

export interface MenuDialogProps {
  tree: readonly MenuRecord[]
  /** What is changed; absent where one is added. */
  menu?: MenuRecord
  /** Below what a new one is added; absent for the top level. */
  parent?: MenuRecord
  onClose: () => void
}

/** Adds a menu or changes one. */
export default function MenuDialog({ tree, menu, parent, onClose }: MenuDialogProps) {
  const [type, setType] = useState(menu?.type ?? typesBelow(parent)[0])
  const rules = type === 'F' ? { schema: FunctionMenuForm } : {}
  const content = (form: FormInstance) => (
    <MenuFields form={form} tree={tree} menu={menu} onTypeChange={setType} />
  )
  if (!menu) {
    return (
      <FormDialog
        title={parent ? texts.menus.addChildTitle(parent.name) : texts.menus.add}
        endpoint={insertMenu}
        {...rules}
        stale={[listMenus]}
        initial={{ parentId: parent?.id ?? top, type: typesBelow(parent)[0], openType: 0 }}
        toInput={toInput}
        onDone={tellAccessChanged}
        onClose={onClose}
      >
        {content}
      </FormDialog>
    )
  }
  return (
    <FormDialog
      title={texts.menus.editTitle(menu.name)}
      endpoint={updateMenu}
      {...rules}
      stale={[listMenus]}
      initial={valuesOf(menu)}
      toInput={toInput}
      readPresent={async () => {
        const present = findMenu(await call(listMenus, {}), menu.id)
        return valuesOf(present ?? menu)
      }}
      onDone={tellAccessChanged}
      onClose={onClose}
    >
      {content}
    </FormDialog>
  )
}

const valuesOf = ({ children: _, roleCount: __, icon, url, ...values }: MenuRecord): Values => ({
  ...values,
  icon: icon ?? undefined,
  url: url ?? undefined,
})

/** Without what the type has no use for, e.g. the component of what was a page until a moment ago. */
function toInput({ url, icon, ...values }: Values) {
  return withoutEmpty({
    ...values,
    url: values.type === 'C' ? url : undefined,
    icon: values.type === 'F' ? undefined : icon,
  }) as never
}

function MenuFields({
  form,
  tree,
  menu,
  onTypeChange,
}: {
  form: FormInstance
  tree: readonly MenuRecord[]
  menu: MenuRecord | undefined
  onTypeChange: (type: MenuType) => void
}) {
  const type = Form.useWatch<MenuType | undefined>('type', form)
  const openType = Form.useWatch<0 | 1 | undefined>('openType', form)
  const parentId = Form.useWatch<string | undefined>('parentId', form)
  const url = Form.useWatch<string | undefined>('url', form)
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
    form.setFieldValue('type', next)
  }
  const onParent = (id: string) => {
    const offered = typesBelow(findMenu(tree, id))
    if (type && !offered.includes(type) && offered[0]) onType(offered[0])
  }
  /** An external link has the one path; what stood there before is not its path. */
  const onOpenType = (next: 0 | 1) => {
    form.setFieldsValue({
      openType: next,
      path: next === 1 ? externalPath : menu && menu.openType === 0 ? menu.path : undefined,
      url: undefined,
    })
  }

  return (
    <>
      <Field name="parentId" label={fields.parent}>
        <TreeSelect
          treeData={parentChoices(tree, menu, texts.menus.top)}
          treeDefaultExpandedKeys={[top, ...(parentId ? [parentId] : [])]}
          showSearch={{ treeNodeFilterProp: 'title' }}
          popupMatchSelectWidth={false}
          onChange={onParent}
        />
      </Field>
      <Field name="type" label={fields.type}>
        <Radio.Group
          onChange={(event) => onType(event.target.value)}
          options={types.map((value) => ({ value, label: texts.menus.types[value] ?? value }))}
        />
      </Field>
      <Field name="name" label={fields.name}>
        <Input autoFocus maxLength={64} autoComplete="off" />
      </Field>
      <Field name="openType" label={fields.openType}>
        <Radio.Group
          disabled={type !== 'C'}
          onChange={(event) => onOpenType(event.target.value)}
          options={([0, 1] as const).map((value) => ({ value, label: texts.menus.openTypes[value] ?? '' }))}
        />
      </Field>
      <Field
        name="path"
        label={fields.path}
        hint={isExternal ? texts.menus.externalPath : type === 'F' ? undefined : texts.menus.pathHint}
        dependsOn={['openType', 'type']}
      >
        <Input disabled={isExternal} maxLength={200} autoComplete="off" spellCheck={false} />
      </Field>
      <Field
        name="remark"
        label={type === 'F' ? fields.code : fields.remark}
        hint={type === 'F' ? texts.menus.codeHint : undefined}
        dependsOn={['type']}
      >
        <Input maxLength={100} autoComplete="off" spellCheck={false} />
      </Field>
      {isExternal ? (
        <Field name="url" label={fields.link} isNeeded dependsOn={['openType']}>
          <Input maxLength={500} placeholder="https://" autoComplete="off" spellCheck={false} />
        </Field>
      ) : (
        <Field
          name="url"
          label={fields.url}
          hint={type !== 'C' ? texts.menus.noUrl : isUnknown ? texts.menus.urlUnknown : texts.menus.urlHint}
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

/** The form hands its value to this; the picker itself comes when it is there. */
function LazyIconPicker(props: { id?: string; value?: string; onChange?: (name?: string) => void }) {
  return (
    <Suspense>
      <IconPicker {...props} />
    </Suspense>
  )
}
