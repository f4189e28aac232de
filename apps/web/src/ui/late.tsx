import { type ComponentType, lazy } from 'react'
import { reloadWhenServed } from '../lib/reload.ts'
import { texts } from '../lib/texts/index.ts'

/** Any component, as React's `lazy` has it. */
type AnyComponent = Awaited<ReturnType<Parameters<typeof lazy>[0]>>['default']

/**
 * As React's `lazy`, for what comes after the first row: where its file does not come, since the line broke between the
 * two, the page goes on with `Instead`. A browser never asks again for a module that failed: only a reload does.
 */
export function late<C extends AnyComponent>(
  load: () => Promise<{ default: C }>,
  Instead: ComponentType = NotLoaded,
) {
  return lazy(() => load().catch(() => ({ default: Instead as unknown as C })))
}

function NotLoaded() {
  return (
    <button type="button" className="button" onClick={() => void reloadWhenServed()}>
      {texts.errors.reload}
    </button>
  )
}
