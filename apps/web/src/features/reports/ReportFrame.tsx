// What the reports have in common: head, filters, grouping, parts with tables.
import { PrinterOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { EquipTypeFilter, ModelFilter, OwnerFilters, RegionFilter } from '../../ui/choices/filters.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { RangeFilter } from '../../ui/list/filters.tsx'
import type { Draft } from '../../ui/list/useDraft.ts'
import { Tabs } from '../../ui/Tabs.tsx'
import { Waiting } from '../../ui/Waiting.tsx'
import styles from './reports.module.css'
import { reportTexts } from './reports.texts.ts'

export interface ReportFrameProps<Group extends string> {
  title: string
  /** The tabs of the page. */
  head: ReactNode
  actions: ReactNode
  draft: Draft
  groups: Readonly<Record<Group, string>>
  group: Group
  onGroup: (group: Group) => void
  isFetching: boolean
  error: { message: string } | null
  onRetry: () => void
  /** The days that the figures are of. */
  period: string | undefined
  children: ReactNode
}

/** What the reports have in common: filters, grouping, printing, and a page instead of a table that fills the height. */
export function ReportFrame<Group extends string>({
  title,
  head,
  actions,
  draft,
  groups,
  group,
  onGroup,
  isFetching,
  error,
  onRetry,
  period,
  children,
}: ReportFrameProps<Group>) {
  return (
    <section className={styles.page} aria-label={title} aria-busy={isFetching}>
      <header className={styles.head}>
        <h1>{title}</h1>
        <span className={styles.unprinted}>{head}</span>
        {period && <span className={styles.period}>{period}</span>}
        <div className={styles.actions}>
          <Button icon={<PrinterOutlined />} onClick={() => window.print()}>
            {reportTexts.print}
          </Button>
          {actions}
        </div>
      </header>
      <form className={styles.filters} data-line aria-label={texts.list.filters} onSubmit={draft.onSubmit}>
        <RangeFilter of={draft} label={reportTexts.range} hasPresets={false} />
        <OwnerFilters of={draft} />
        <RegionFilter of={draft} />
        <EquipTypeFilter of={draft} />
        <ModelFilter of={draft} />
        <span className={styles.buttons}>
          <Button type="primary" htmlType="submit">
            {texts.list.search}
          </Button>
          <Button onClick={draft.reset}>{texts.list.reset}</Button>
        </span>
      </form>
      <div className={styles.groups}>
        <Tabs
          label={reportTexts.groups}
          active={group}
          onChange={onGroup}
          tabs={(Object.keys(groups) as Group[]).map((key) => ({ key, title: groups[key] }))}
        />
      </div>
      {error ? (
        <EmptyState
          title={texts.list.failed}
          hint={error.message}
          action={<Button onClick={onRetry}>{texts.list.retry}</Button>}
        />
      ) : (
        <div className={styles.body} data-stale={isFetching || undefined}>
          {children || (isFetching && <Waiting lines={8} />)}
        </div>
      )}
    </section>
  )
}

/** A part of a report, with its heading. */
export function Part({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <section className={styles.part} aria-label={title}>
      <h2>{title}</h2>
      {hint && <p className={styles.hint}>{hint}</p>}
      {children}
    </section>
  )
}

/** A table that scrolls by itself where the window is narrower. */
export function Figures({
  heads,
  isWords = false,
  children,
}: {
  heads: readonly ReactNode[]
  /** Of words, which begin at the left, instead of figures. */
  isWords?: boolean
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <div className={styles.scroller} tabIndex={0}>
      <table className={styles.figures} data-words={isWords || undefined}>
        <thead>
          <tr>
            {heads.map((head, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the heads stay as they are
              <th key={index} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
