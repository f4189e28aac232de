import { type ComponentType, lazy } from 'react'
import { reloadWhenServed } from '../lib/browser/reload.ts'
import { texts } from '../lib/texts/index.ts'

/** Any component, as React's `lazy` has it. */
type AnyComponent = Awaited<ReturnType<Parameters<typeof lazy>[0]>>['default']

/**
 * As React's `lazy`, for parts that come after the first row: if the file does not come, because the connection broke
 * in between, the page goes on with `Instead`. A browser never requests a failed module again: only a reload does.
 */
export function late<C extends AnyComponent>(
  load: () => Promise<{ default: C }>,
  Instead: ComponentType = NotLoaded,
) {
  return lazy(() => load().catch(() => ({ default: Instead as unknown as C })))
}

/** In place of code that did not come. */
export function NotLoaded() {
  return (
    <button type="button" className="button" onClick={() => void reloadWhenServed()}>
      {texts.errors.reload}
    </button>
  )
}
