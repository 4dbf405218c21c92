"""What is known of models: windows and prices."""
