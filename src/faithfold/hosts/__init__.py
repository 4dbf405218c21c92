"""What agents need to go by way of faithfold: a table, and a file for each agent that needs more than variables.

Source: spec 40-proxy; spec 90-decisions, Proxy (`run`).
"""
