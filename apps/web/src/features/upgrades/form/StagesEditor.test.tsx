// @vitest-environment happy-dom
import { upgradeStagesLimit } from '@voltkeep/contract/upgrades'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { show, until } from '../../../../test/page.tsx'
import { upgradeTexts } from '../upgrades.texts.ts'
import { firstOwnStages, type Stages, StagesEditor } from './StagesEditor.tsx'

const words = upgradeTexts.rule
let given: Stages = []
function Editor({ first }: { first: Stages }) {
  const [stages, setStages] = useState<Stages>([...first])
  const change = (next: Stages) => {
    given = next
    setStages(next)
  }
  return <StagesEditor stages={stages} onChange={change} />
}
const button = (label: string) =>
  [...document.querySelectorAll('button')].find(
    (each) => each.getAttribute('aria-label') === label || each.textContent === label,
  )
const edit = async (first: Stages = firstOwnStages) => {
  show(<Editor first={first} />)
  await until(() => expect(document.querySelectorAll('li')).toHaveLength(first.length))
}
const rest = { percent: 100, soakMinutes: 0 }

test('the last stage takes the rest at once, whichever is removed or added', async () => {
  await edit()
  button(words.removeStage(1))?.click()
  await until(() => expect(given).toEqual([{ percent: 25, soakMinutes: 30 }, rest]))
  button(words.addStage)?.click()
  await until(() => expect(given).toHaveLength(3))
  expect(given.at(-1)).toEqual(rest)
})

test('no stage is added beyond the limit of the call', async () => {
  await edit([
    ...Array.from({ length: upgradeStagesLimit - 2 }, () => ({ percent: 5, soakMinutes: 1 })),
    rest,
  ])
  button(words.addStage)?.click()
  await until(() => expect(given).toHaveLength(upgradeStagesLimit))
  await until(() => expect(button(words.addStage)).toBeUndefined())
})

test('the only stage cannot be removed: it is the rest', async () => {
  await edit([rest])
  expect(button(words.removeStage(1))).toBeUndefined()
})
