// The organization tree beside the list. Pressing an organization shows its users and those below it. One row is in the
// Tab order (roving tabindex), so that Tab reaches the list; arrow keys move between the rows.
import { CaretDownOutlined, CaretRightOutlined } from '@ant-design/icons'
import { Input } from 'antd'
import { type KeyboardEvent, useDeferredValue, useMemo, useState } from 'react'
import { useOrganizations } from '../../ui/choices/choices.ts'
import { Unread } from '../../ui/choices/Unread.tsx'
import styles from './users.module.css'
import { userTexts } from './users.texts.ts'
import { closedAtFirst, flipped, linesOf } from './users.tree.ts'

const { tree: words } = userTexts

export function OrganizationPane({
  chosen,
  onChoose,
}: {
  chosen: string | undefined
  onChoose: (id: string | undefined) => void
}) {
  const organizations = useOrganizations()
  const [keyword, setKeyword] = useState('')
  const wanted = useDeferredValue(keyword)
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const { data: tree } = organizations
  const [chosenAtFirst] = useState(chosen)
  const lines = useMemo(() => {
    const closed = flipped(closedAtFirst(tree ?? [], chosenAtFirst), toggled)
    return linesOf(tree ?? [], wanted, closed)
  }, [tree, wanted, toggled, chosenAtFirst])
  const [focusedId, setFocusedId] = useState(chosen)
  const tabId = lines.some(({ id }) => id === focusedId)
    ? focusedId
    : wanted === ''
      ? undefined
      : lines[0]?.id

  const toggle = (id: string) => setToggled(flipped(toggled, [id]))

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { id } = (event.target as HTMLElement).dataset
    if (id === undefined) return
    const line = lines.find((each) => each.id === id)
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-id]')]
      const step = event.key === 'ArrowDown' ? 1 : -1
      all[all.indexOf(event.target as HTMLElement) + step]?.focus()
    } else if (
      line?.hasChildren &&
      wanted.trim() === '' &&
      event.key === (line.isOpen ? 'ArrowLeft' : 'ArrowRight')
    ) {
      toggle(id)
    } else return
    event.preventDefault()
  }

  return (
    <nav className={styles.pane} aria-label={words.label}>
      <Input
        allowClear
        aria-label={words.keyword}
        placeholder={words.keyword}
        value={keyword}
        onChange={(event) => setKeyword(event.target.value)}
      />
      <ul
        className={styles.tree}
        onKeyDown={onKeyDown}
        onFocus={({ target }) => {
          if (target.dataset.id !== undefined) setFocusedId(target.dataset.id || undefined)
        }}
      >
        {wanted === '' && (
          <li className={styles.line} data-chosen={chosen === undefined || undefined}>
            <span className={styles.toggle} />
            <button
              type="button"
              className={styles.node}
              data-id=""
              tabIndex={tabId === undefined ? 0 : -1}
              aria-current={chosen === undefined}
              onClick={() => onChoose(undefined)}
            >
              {words.all}
            </button>
          </li>
        )}
        {lines.map(({ id, name, depth, hasChildren, isOpen }) => (
          <li
            key={id}
            className={styles.line}
            data-chosen={id === chosen || undefined}
            style={{ paddingLeft: depth * 16 }}
          >
            {hasChildren && wanted.trim() === '' ? (
              <button
                type="button"
                className={styles.toggle}
                // The row's own arrow keys expand and collapse it.
                tabIndex={-1}
                aria-label={isOpen ? words.close(name) : words.open(name)}
                aria-expanded={isOpen}
                onClick={() => toggle(id)}
              >
                {isOpen ? <CaretDownOutlined /> : <CaretRightOutlined />}
              </button>
            ) : (
              <span className={styles.toggle} />
            )}
            <button
              type="button"
              className={styles.node}
              data-id={id}
              tabIndex={id === tabId ? 0 : -1}
              aria-current={id === chosen}
              title={name}
              onClick={() => onChoose(id)}
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
      {tree === undefined && <Unread query={organizations} />}
      {tree !== undefined && lines.length === 0 && wanted !== '' && (
        <p className={styles.quiet}>{words.none}</p>
      )}
    </nav>
  )
}
