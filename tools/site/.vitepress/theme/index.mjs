// SPDX-License-Identifier: Apache-2.0
// The default theme of VitePress, with a style sheet for wide tables, timing diagrams and print.

import DefaultTheme from "vitepress/theme";
import "./style.css";

export default DefaultTheme;
