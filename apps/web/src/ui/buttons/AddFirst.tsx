import { Button } from 'antd'
import { texts } from '../../lib/texts/index.ts'

/**
 * The way out of an empty list: opens the same form as the button above the list, by a name of its own, so that a
 * reader is not offered two buttons that are called alike.
 */
export function AddFirst({ onClick }: { onClick: () => void }) {
  return <Button onClick={onClick}>{texts.list.addFirst}</Button>
}
