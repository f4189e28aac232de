import { PageLink } from '../../ui/PageLink.tsx'
import { upgradePage } from './overview.links.ts'
import styles from './overview.module.css'
import { overviewTexts as words } from './overview.texts.ts'
import { Progress } from './Progress.tsx'
import { Section } from './Section.tsx'
import type { RunningUpgrades } from './useRunningUpgrades.ts'

const running = { status: 1, type: 'ALL' }

/** Upgrade tasks under way, and how far they are. */
export function Upgrades({ list: { rows, total, isPending } }: { list: RunningUpgrades }) {
  return (
    <Section
      title={words.upgrades}
      aside={
        total > 0 && (
          <PageLink page={upgradePage} search={running}>
            {words.all} {total}
          </PageLink>
        )
      }
    >
      {!isPending && rows.length === 0 && <p className={styles.none}>{words.noUpgrades}</p>}
      <ul className={styles.rows}>
        {rows.map(({ id, equipTypeName, partTypeName, version, state, stage, stageCount, counts }) => (
          <li key={id}>
            <Progress
              name={
                <>
                  {equipTypeName} · {partTypeName} <span className="mono">{version}</span>
                </>
              }
              beside={state === 'paused' ? words.paused : words.stage(stage ?? 1, stageCount)}
              done={counts.succeeded + counts.skipped}
              failed={counts.failed + counts.refused + counts.timedOut}
              total={counts.total}
              page={upgradePage}
              search={{ task: id }}
            />
          </li>
        ))}
      </ul>
    </Section>
  )
}
