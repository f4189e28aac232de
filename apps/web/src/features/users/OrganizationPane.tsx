import { CaretDownOutlined, CaretRightOutlined } from '@ant-design/icons'
import { Input } from 'antd'
import { useState } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { useOrganizations } from '../../ui/choices/choices.ts'
import styles from './users.module.css'
import { linesOf } from './users.tree.ts'

const { tree: words } = texts.users

/** The organizations beside the list: pressing one shows its users and those under it. */
export function OrganizationPane({
  chosen,
  onChoose,
}: {
  chosen: string | undefined
  onChoose: (id: string | undefined) => void
}) {
  const organizations = useOrganizations()
  const [keyword, setKeyword] = useState('')
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const lines = linesOf(organizations.data ?? [], keyword, closed)

  const toggle = (id: string) => {
    const next = new Set(closed)
    if (!next.delete(id)) next.add(id)
    setClosed(next)
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
      <ul className={styles.tree}>
        {keyword === '' && (
          <li className={styles.line} data-chosen={chosen === undefined || undefined}>
            <span className={styles.toggle} />
            <button
              type="button"
              className={styles.node}
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
            {hasChildren && keyword.trim() === '' ? (
              <button
                type="button"
                className={styles.toggle}
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
              aria-current={id === chosen}
              title={name}
              onClick={() => onChoose(id)}
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
      {lines.length === 0 && keyword !== '' && <p className={styles.quiet}>{words.none}</p>}
    </nav>
  )
}
