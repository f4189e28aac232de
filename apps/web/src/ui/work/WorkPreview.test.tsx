// @vitest-environment happy-dom
import { previewRestoration } from '@voltkeep/contract/parameterBatches'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { answering, serveAsHost } from '../../../test/host.ts'
import { press, show, shown, until } from '../../../test/page.tsx'
import { WorkPreview } from './WorkPreview.tsx'

const figures = { chosen: 12, offline: 0, parameters: [], skipped: [], unknownCodes: [] }

/** A form that asks for batch 1, then for batch 2, and can hide its preview. */
function Page({ onPreview }: { onPreview: (devices: number | undefined) => void }) {
  const [id, setId] = useState('1')
  const [isThere, setThere] = useState(true)
  const [tell] = useState(() => (preview?: { devices: number }) => onPreview(preview?.devices))
  return (
    <>
      {isThere && (
        <WorkPreview endpoint={previewRestoration} asked={{ id }} onPreview={tell}>
          {({ devices }) => `将设置 ${devices} 台`}
        </WorkPreview>
      )}
      <button type="button" onClick={() => setId('2')}>
        other
      </button>
      <button type="button" onClick={() => setThere(false)}>
        hide
      </button>
    </>
  )
}

test('a preview is known only while it is that of the present input and in sight', async () => {
  let release: (() => void) | undefined
  await serveAsHost((request, response) => {
    const isSecond = request.url?.endsWith('/2')
    const answer = () =>
      answering(200, { code: 200, message: '', data: { ...figures, devices: isSecond ? 7 : 12 } })(
        request,
        response,
      )
    if (isSecond) release = answer
    else answer()
  })
  const told: (number | undefined)[] = []
  show(<Page onPreview={(devices) => told.push(devices)} />)
  await until(() => expect(told.at(-1)).toBe(12))

  await press('other')
  await until(() => expect(release).toBeDefined())
  expect(told.at(-1)).toBeUndefined()
  // The former figures stay in sight, marked as old.
  expect(shown()).toContain('将设置 12 台')
  expect(document.querySelector('[aria-busy="true"]')?.textContent).toBe('将设置 12 台')
  release?.()
  await until(() => expect(told.at(-1)).toBe(7))
  expect(shown()).toContain('将设置 7 台')

  await press('hide')
  await until(() => expect(told.at(-1)).toBeUndefined())
})

test('an error stands in place of the figures and can be tried again', async () => {
  let isBroken = true
  await serveAsHost((request, response) =>
    isBroken
      ? answering(404, { code: 404, message: '批次不存在', data: null })(request, response)
      : answering(200, { code: 200, message: '', data: { ...figures, devices: 12 } })(request, response),
  )
  show(<Page onPreview={() => undefined} />)
  await until(() => expect(document.querySelector('[role="alert"]')?.textContent).toContain('批次不存在'))
  isBroken = false
  await press('重试')
  await until(() => expect(shown()).toContain('将设置 12 台'))
  expect(document.querySelector('[role="alert"]')).toBeNull()
})
