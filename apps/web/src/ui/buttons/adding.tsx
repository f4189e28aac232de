import { PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { Permitted } from '../Permitted.tsx'

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
 * list, by a name of its own, so that a reader is not offered two buttons that are called alike.
 */
export const emptyList = (title: string, add: false | { hint: ReactNode; onAdd: () => void }) => ({
  title,
  hint: add ? add.hint : undefined,
  action: add && <Button onClick={add.onAdd}>{texts.list.addFirst}</Button>,
})
