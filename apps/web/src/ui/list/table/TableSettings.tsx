// Which columns of a table a user sees.
import { ArrowDownOutlined, ArrowUpOutlined, SettingOutlined } from '@ant-design/icons'
import type { PreferenceKey } from '@voltkeep/contract/preferences'
import { type DragEvent, useId, useState } from 'react'
import { usePreference } from '../../../lib/preferences.ts'
import { texts } from '../../../lib/texts/index.ts'
import { IconButton } from '../../buttons/IconButton.tsx'
import { Popover } from '../../buttons/Popover.tsx'
import type { Column } from '../DataTable.tsx'
import { type Arranged, arrange, type ColumnChoice, moved, toggled } from './columns.ts'
import styles from './TableSettings.module.css'

const { settings } = texts.list

/** The columns of a list as its reader has chosen them, and the setter of the choice; undefined takes it back. */
export function useColumns<Row>(
  name: string | undefined,
  columns: readonly Column<Row>[],
): [Arranged<Row>, (choice: ColumnChoice | undefined) => void] {
  const [choice, choose] = usePreference(
    `columns:${name ?? '/'}` as Extract<PreferenceKey, `columns:/${string}`>,
  )
  return [arrange(columns, choice), choose]
}

/** Which columns a list has, in which order, and how high the rows of all lists are. */
export function TableSettings<Row>({
  arranged,
  onChoose,
}: {
  arranged: Arranged<Row>
  onChoose: (choice: ColumnChoice | undefined) => void
}) {
  return (
    <Popover
      isLazy
      label={settings.title}
      className={styles.open}
      sign={<SettingOutlined aria-hidden="true" />}
    >
      <Panel arranged={arranged} onChoose={onChoose} />
    </Popover>
  )
}

function Panel<Row>({ arranged, onChoose }: Parameters<typeof TableSettings<Row>>[0]) {
  const [density = 'normal', chooseDensity] = usePreference('density')
  const [dragged, setDragged] = useState<string>()
  const group = useId()
  const { middle, hidden } = arranged
  const drop = (event: DragEvent, at: number) => {
    event.preventDefault()
    const from = middle.findIndex(({ key }) => key === dragged)
    if (dragged !== undefined && from >= 0) onChoose(moved(arranged, dragged, at - from))
    setDragged(undefined)
  }
  return (
    <section className={styles.panel} aria-label={settings.title}>
      <fieldset className={styles.density}>
        <legend>{settings.density}</legend>
        {(['normal', 'compact'] as const).map((each) => (
          <label key={each}>
            <input
              type="radio"
              name={group}
              checked={density === each}
              onChange={() => chooseDensity(each === 'normal' ? undefined : each)}
            />
            {settings.densities[each]}
          </label>
        ))}
      </fieldset>
      <div className={styles.head}>
        <h2>{settings.columns}</h2>
        <button type="button" className="link-button" onClick={() => onChoose(undefined)}>
          {settings.reset}
        </button>
      </div>
      <ul className={styles.columns}>
        {middle.map(({ key, title }, at) => (
          <li
            key={key}
            draggable
            data-dragged={key === dragged || undefined}
            onDragStart={() => setDragged(key)}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => drop(event, at)}
          >
            <label>
              <input
                type="checkbox"
                checked={!hidden.has(key)}
                onChange={() => onChoose(toggled(arranged, key))}
              />
              {title}
            </label>
            <IconButton
              label={settings.up(String(title))}
              isDisabled={at === 0}
              onClick={() => onChoose(moved(arranged, key, -1))}
            >
              <ArrowUpOutlined aria-hidden="true" />
            </IconButton>
            <IconButton
              label={settings.down(String(title))}
              isDisabled={at === middle.length - 1}
              onClick={() => onChoose(moved(arranged, key, 1))}
            >
              <ArrowDownOutlined aria-hidden="true" />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  )
}
