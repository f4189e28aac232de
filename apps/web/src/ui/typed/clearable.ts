import { texts } from '../../lib/texts/index.ts'

/** antd's `allowClear` with the button's name in the page's language; antd's own is "Clear". */
export const clearable = { label: texts.list.selection.clear }
