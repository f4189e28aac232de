// The editor of a task's stages.
import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { type UpgradeRule, upgradeStagesLimit } from '@voltkeep/contract/upgrades'
import { Button, InputNumber, Select } from 'antd'
import styles from '../upgrades.module.css'
import { upgradeTexts } from '../upgrades.texts.ts'

const words = upgradeTexts.rule

export type Stages = NonNullable<UpgradeRule['stages']>

/** The last stage takes the remaining devices, whatever its share. */
const last = { percent: 100, soakMinutes: 0 }
export const firstOwnStages: Stages = [
  { percent: 5, soakMinutes: 30 },
  { percent: 25, soakMinutes: 30 },
  last,
]

/** Stages by share or by number of devices, each with its soak time. */
export function StagesEditor({ stages, onChange }: { stages: Stages; onChange: (stages: Stages) => void }) {
  const before = stages.slice(0, -1)
  const set = (at: number, changed: Stages[number]) =>
    onChange([...before.map((stage, index) => (index === at ? changed : stage)), last])
  return (
    <ol className={styles.stagesEditor}>
      {before.map((stage, at) => {
        const name = words.stage(at + 1)
        const isShare = stage.percent !== undefined
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a stage is known by its place
          <li key={at}>
            <span>{name}</span>
            <span className={styles.stageSize}>
              <InputNumber
                aria-label={`${name} ${words.size}`}
                className={styles.number ?? ''}
                min={1}
                max={isShare ? 100 : 10_000_000}
                precision={0}
                value={stage.percent ?? stage.count ?? 1}
                onChange={(size) =>
                  set(at, {
                    soakMinutes: stage.soakMinutes,
                    ...(isShare ? { percent: size ?? 1 } : { count: size ?? 1 }),
                  })
                }
              />
              <Select
                aria-label={`${name} ${words.unit}`}
                value={isShare ? 'percent' : 'count'}
                options={[
                  { value: 'percent', label: '%' },
                  { value: 'count', label: words.devices },
                ]}
                onChange={(unit) =>
                  set(at, {
                    soakMinutes: stage.soakMinutes,
                    ...(unit === 'percent' ? { percent: 5 } : { count: 10 }),
                  })
                }
              />
            </span>
            <span className={styles.stageSoak}>
              {words.soak}
              <InputNumber
                aria-label={`${name} ${words.soak}`}
                className={styles.number ?? ''}
                min={0}
                max={10_080}
                precision={0}
                value={stage.soakMinutes}
                onChange={(soakMinutes) => set(at, { ...stage, soakMinutes: soakMinutes ?? 0 })}
              />
              {words.minutes}
            </span>
            <Button
              type="text"
              size="small"
              icon={<DeleteOutlined />}
              aria-label={words.removeStage(at + 1)}
              onClick={() => onChange([...before.filter((_, index) => index !== at), last])}
            />
          </li>
        )
      })}
      <li>
        <span>{words.stage(stages.length)}</span>
        <span className={styles.quiet}>{words.rest}</span>
        {stages.length < upgradeStagesLimit && (
          <Button
            type="link"
            size="small"
            icon={<PlusOutlined />}
            onClick={() => onChange([...before, { percent: 25, soakMinutes: 30 }, last])}
          >
            {words.addStage}
          </Button>
        )}
      </li>
    </ol>
  )
}
