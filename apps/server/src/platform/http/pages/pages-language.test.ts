import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../process/log.ts'
import { createHttpServer } from '../server.ts'
import { servePages } from './pages.ts'

function served(languages: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-pages-'))
  const app = createHttpServer({ log: createLog({ level: 'silent' }) })
  onTestFinished(async () => {
    await app.close()
    rmSync(directory, { recursive: true, force: true })
  })
  for (const language of languages)
    writeFileSync(join(directory, language === 'zh' ? 'index.html' : `index.${language}.html`), language)
  servePages(app, directory)
  return (url: string, cookie?: string) =>
    app.inject({ url, headers: cookie === undefined ? {} : { cookie } })
}

test.each(['/', '/index.html', '/maintenance/exitWarning?a=1'])(
  '%s is the page in the language of the cookie, Chinese without one',
  async (path) => {
    const get = served(['zh', 'en'])
    expect((await get(path)).body).toBe('zh')
    const english = await get(path, 'a=b; voltkeep_language=en')
    expect(english.body).toBe('en')
    expect(english.headers.vary).toContain('cookie')
    expect((await get(path, 'voltkeep_language=zh')).body).toBe('zh')
    expect((await get(path, 'voltkeep_language=xx')).body).toBe('zh')
  },
)

test('a build without English serves Chinese', async () => {
  expect((await served(['zh'])('/', 'voltkeep_language=en')).body).toBe('zh')
})
