import { Input, Pagination } from 'antd'
import { SearchSelect } from '../typed/SearchSelect.tsx'

// What antd has for a list's filters and its pager: more than the rest of a list. `Later.tsx` fetches it.

export { Input, Pagination, SearchSelect }
