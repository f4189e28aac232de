// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest'
import { show, shown, until } from '../../test/page.tsx'
import { CopyText } from './CopyText.tsx'

afterEach(() => vi.restoreAllMocks())

async function pressCopy() {
  show(<CopyText text="EC0001" />)
  const button = await vi.waitUntil(() => document.querySelector<HTMLElement>('[aria-label="复制 EC0001"]'))
  button.click()
}

// proves: message 复制成功
test('what is copied is on the clipboard, and the page says 复制成功', async () => {
  await pressCopy()
  await until(() => expect(shown()).toContain('复制成功'))
  expect(await navigator.clipboard.readText()).toBe('EC0001')
})

test('a browser that refuses the clipboard is told as such', async () => {
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new DOMException('', 'NotAllowedError'))
  await pressCopy()
  await until(() => expect(shown()).toContain('复制失败，请手动选择文字'))
})
