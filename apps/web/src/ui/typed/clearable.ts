import { texts } from '../../lib/texts/index.ts'

/** antd's `allowClear`, with the button called in the page's language: by itself it is "Clear". */
export const clearable = { label: texts.list.selection.clear }
