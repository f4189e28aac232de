import { upgradePage } from '../overview.links.ts'
import { overviewTexts as words } from '../overview.texts.ts'
import { Progress } from './Progress.tsx'
import { Running } from './Running.tsx'
import type { RunningUpgrades } from './useRunningUpgrades.ts'

const running = { status: 1, type: 'ALL' }

/** Running upgrade tasks with their progress. */
export function Upgrades({ list }: { list: RunningUpgrades }) {
  return (
    <Running title={words.upgrades} none={words.noUpgrades} list={list} page={upgradePage} search={running}>
      {({ id, equipTypeName, partTypeName, version, state, stage, stageCount, counts }) => (
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
      )}
    </Running>
  )
}
