import { TreeSelect } from 'antd'
import { useId } from 'react'
import { firstHit } from '../../ui/choices/choices.trees.ts'
import { Owned } from '../../ui/choices/Owned.tsx'
import { Typed } from '../../ui/typed/Typed.tsx'
import { useTyped } from '../../ui/typed/useTyped.ts'
import { type ParentChoice, top } from './menus.choices.ts'

/** The parent of a menu. A form control: the form sets `id`, `value` and `onChange`. */
export function ParentSelect({
  choices,
  id,
  value,
  onChange,
}: {
  choices: ParentChoice[]
  id?: string
  value?: string
  onChange?: (id: string) => void
}) {
  const noteId = useId()
  const give = (chosen: string) => {
    typed.onChosen()
    onChange?.(chosen)
  }
  const typed = useTyped({
    isReading: false,
    chooseFirst(text) {
      const hit = firstHit(choices, text, ({ title }) => title)
      if (hit) give(hit.value)
      return hit !== undefined
    },
  })
  return (
    <Typed of={typed} noteId={noteId}>
      <TreeSelect
        {...(id !== undefined && { id })}
        aria-describedby={typed.note ? noteId : undefined}
        status={typed.isDropped ? 'error' : ''}
        style={{ width: '100%' }}
        treeData={choices}
        treeDefaultExpandedKeys={[top, ...(value ? [value] : [])]}
        showSearch={{ treeNodeFilterProp: 'title' }}
        popupMatchSelectWidth={false}
        popupRender={(list) => <Owned by={id}>{list}</Owned>}
        value={value}
        onChange={give}
      />
    </Typed>
  )
}
