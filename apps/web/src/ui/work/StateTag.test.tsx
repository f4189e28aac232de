// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { show, shown, until } from '../../../test/page.tsx'
import { WorkState } from './StateTag.tsx'

const words = { finished: '已完成', running: '进行中' }
const shares = { good: 0, failed: 0, underWay: 0, leftOut: 0, open: 0 }
const marks = () =>
  [...document.querySelectorAll<HTMLElement>('[data-look]')].map(({ textContent, dataset }) => [
    textContent,
    dataset.look,
  ])

test('work that is over keeps its word and has the mark of its result', async () => {
  show(
    <>
      <WorkState state="running" words={words} ended={false} />
      <WorkState state="finished" words={words} ended={{ ...shares, good: 2 }} />
      <WorkState state="finished" words={words} ended={{ ...shares, good: 2, failed: 1 }} />
      <WorkState state="finished" words={words} ended={{ ...shares, failed: 2 }} />
    </>,
  )
  await until(() =>
    expect(marks()).toEqual([
      ['进行中', 'underWay'],
      ['已完成', 'good'],
      ['已完成', 'caution'],
      ['已完成', 'bad'],
    ]),
  )
})

test('a state without a word is shown as unknown', async () => {
  show(<WorkState state="frozen" words={words} />)
  await until(() => expect(shown()).toBe('状态未知'))
})
