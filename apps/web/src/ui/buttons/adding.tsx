import { PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { texts } from '../../lib/texts/index.ts'
import type { AnyEndpoint } from '../../lib/wire/call.ts'
import { codeOf, Permitted, usePermission } from '../Permitted.tsx'

/** The button above a list that opens the form of a new row. */
export function AddButton({
  code,
  onClick,
  children,
}: {
  code: string | readonly string[]
  onClick: () => void
  children: ReactNode
}) {
  return (
    <Permitted code={code}>
      <Button type="primary" icon={<PlusOutlined />} onClick={onClick}>
        {children}
      </Button>
    </Permitted>
  )
}

/**
 * What stands in an empty list. `add`, for users who may add: the way out opens the same form as the button above the
 * list, by a name of its own (`label`), so that a reader is not offered two buttons that are called alike.
 */
export const emptyList = (
  title: string,
  add: false | { hint: ReactNode; onAdd: () => void; label?: string | undefined },
) => ({
  title,
  hint: add ? add.hint : undefined,
  action: add && <Button onClick={add.onAdd}>{add.label ?? texts.list.addFirst}</Button>,
})

/** The form of a new row, for the users who may: the button above the list, and the way out of the empty one. */
export function useAdding(
  { access }: Pick<AnyEndpoint, 'access'>,
  words: { add: string; addFirst?: string; empty: string; emptyHint?: ReactNode },
) {
  const [isOpen, setOpen] = useState(false)
  const mayAdd = usePermission(codeOf(access))
  const open = () => setOpen(true)
  return {
    isOpen,
    close: () => setOpen(false),
    button: (
      <AddButton code={codeOf(access)} onClick={open}>
        {words.add}
      </AddButton>
    ),
    empty: emptyList(words.empty, mayAdd && { hint: words.emptyHint, onAdd: open, label: words.addFirst }),
  }
}
